// Whether the program may be executed: its owner says so, anew for each program that is opened.
import type { About, Executed } from "./backend";
import { make, prose } from "./elements";
import { suffixOf } from "./languages";

export interface Permission {
  readonly element: HTMLElement;
  /** Whether runs decide, and none may begin yet. */
  readonly isAwaited: boolean;
  readonly isGiven: boolean;
  /** Shows what fits the name of a program. */
  fit(name: string): void;
  /** Another program is there: what was allowed does not hold for it. */
  withdraw(): void;
}

/** Files that runs decide, also where this page may not run them. */
const BY_RUNS: readonly string[] = [".py"];

const WHY: Readonly<Record<string, string>> = {
  ".py": "A service is decided by running it. It runs in a process of its own, which may not write files, start programs or connect.",
  ".sql": "Compared with a real database, the verdict counts for more, and files that the model does not cover get one, too. The file runs on a private PostgreSQL, which ends with this page.",
  ".c": "Compared with the compiled program, the verdict counts for more. gcc compiles the file, and it runs in a process of its own, which may not write files, start programs or connect.",
};

export function permission(about: About, onChange: () => void): Permission {
  const element = make("div", { class: "permission", id: "permission", hidden: true });
  let given = false;
  let name = "";

  function purpose(): Executed | null {
    return about.executed[suffixOf(name)] ?? null;
  }

  function set(value: boolean): void {
    given = value;
    show();
    onChange();
  }

  function show(): void {
    const suffix = suffixOf(name);
    element.hidden = purpose() === null && !BY_RUNS.includes(suffix);
    if (element.hidden) return;
    element.classList.toggle("awaited", !given);
    if (purpose() === null) {
      element.replaceChildren(make("p", {}, ...prose(`A service is decided by running it, and nothing is executed here. On your machine, \`ser check ${name}\` runs the file as it is, and so does the page of \`ser play ${name}\`.`)));
    } else if (given) {
      element.replaceChildren(
        make("p", {}, "The file is executed each time it changes."),
        make("button", { type: "button", class: "quiet", onclick: () => set(false) }, "Stop running it"),
      );
    } else {
      const label = purpose() === "to decide" ? "Run it" : "Compare";
      element.replaceChildren(
        make("p", {}, WHY[suffix] ?? "The file can be executed."),
        make("button", { type: "button", class: purpose() === "to decide" ? "primary" : "quiet", id: "run", onclick: () => set(true) }, label),
      );
    }
  }

  return {
    element,
    get isAwaited() {
      return BY_RUNS.includes(suffixOf(name)) && !this.isGiven;
    },
    get isGiven() {
      return purpose() !== null && given;
    },
    fit(wanted) {
      if (suffixOf(wanted) !== suffixOf(name)) given = false;
      name = wanted;
      show();
    },
    withdraw() {
      given = false;
      show();
    },
  };
}
