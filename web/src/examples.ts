// The examples of the project: a topic for each kind, and the first sentence of each file.
import type { Source } from "./backend";

export interface Example extends Source {
  readonly topic: string;
  readonly title: string;
  /** What it shows, as its first comment says it. */
  readonly sentence: string;
}

const FILES: Record<string, string> = import.meta.glob(
  [
    "../../examples/*.ser",
    "../../examples/unbounded/*.ser",
    "../../examples/paper/*.{ser,json}",
    "../../examples/properties/*.ser",
    "../../examples/services/*.py",
    "../../examples/sql/*.sql",
    "../../examples/p4/*.p4",
    "../../examples/protocols/*.actions",
    "../../examples/threads/*.{conc,c}",
  ],
  { query: "?raw", import: "default", eager: true },
);

const TOPICS: Readonly<Record<string, string>> = {
  "": "Request handlers",
  services: "Python services",
  sql: "SQL transactions",
  threads: "Threads, C",
  p4: "Packet programs",
  protocols: "Protocols",
  properties: "Other questions",
  unbounded: "Any integers",
  paper: "After the paper",
};

export const FIRST = "lost_update.ser";

export const EXAMPLES: readonly Example[] = Object.entries(FILES)
  .map(([path, text]) => {
    const parts = path.split("/").slice(3);
    const name = parts.at(-1)!;
    const topic = TOPICS[parts.length > 1 ? parts[0]! : ""]!;
    return { topic, name, text, title: titleOf(name), sentence: sentenceOf(text) || "A network system, state by state." };
  })
  .sort((one, other) => order(one) - order(other) || one.name.localeCompare(other.name));

function order(example: Example): number {
  const topic = Object.values(TOPICS).indexOf(example.topic);
  return topic * 2 + (example.name === FIRST ? 0 : 1);
}

/** `lost_update.ser` as people read it. */
export function titleOf(name: string): string {
  const words = name.replace(/\.\w+$/, "").replace(/^([a-g]\d)_/, "$1: ").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first sentence of the comment, or of the text in three quotes, that a file begins with. */
export function sentenceOf(text: string): string {
  const quoted = /^\s*"""([\s\S]*?)"""/.exec(text)?.[1];
  const comment = /^(?:[ \t]*(?:\/\/|--|#(?!include)).*\n?)+/.exec(text)?.[0].replaceAll(/^[ \t]*(?:\/\/|--|#) ?/gm, "");
  const told = (quoted ?? comment ?? "").split(/\n\s*\n/)[0]!.replaceAll(/\s+/g, " ").trim();
  return /^.*?[.!?](?=\s|$)/.exec(told)?.[0] ?? told;
}
