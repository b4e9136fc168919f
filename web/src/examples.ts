// The examples of the project, as a menu: a group for each kind, the first line of each as its title.
import type { Source } from "./backend";
import { suffixOf } from "./languages";

export interface Example extends Source {
  readonly group: string;
  readonly title: string;
}

const FILES: Record<string, string> = import.meta.glob(
  [
    "../../examples/*.ser",
    "../../examples/paper/*.{ser,json}",
    "../../examples/properties/*.ser",
    "../../examples/services/*.py",
    "../../examples/sql/*.sql",
    "../../examples/p4/*.p4",
    "../../examples/threads/*.{conc,c}",
  ],
  { query: "?raw", import: "default", eager: true },
);

const GROUPS: Readonly<Record<string, string>> = {
  "": "Request handlers",
  paper: "After the paper's listings",
  properties: "Other properties",
  services: "Python services (asyncio)",
  sql: "SQL transactions",
  p4: "Packet programs (P4)",
  threads: "Threads",
};

export const FIRST = "lost_update.ser";

export const EXAMPLES: readonly Example[] = Object.entries(FILES)
  .map(([path, text]) => {
    const parts = path.split("/").slice(3);
    const name = parts.at(-1)!;
    const group = GROUPS[parts.length > 1 ? parts[0]! : ""]!;
    return { group, name, text, title: titleOf(name) };
  })
  .sort((one, other) => order(one) - order(other) || one.name.localeCompare(other.name));

function order(example: Example): number {
  const group = Object.values(GROUPS).indexOf(example.group);
  return group * 2 + (example.name === FIRST ? 0 : 1);
}

/** `lost_update.ser` as people read it. */
export function titleOf(name: string): string {
  const words = name.replace(/\.\w+$/, "").replace(/^([a-g]\d)_/, "$1: ").replaceAll("_", " ");
  const suffix = suffixOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1) + (suffix === ".conc" || suffix === ".c" ? ` (${suffix})` : "");
}
