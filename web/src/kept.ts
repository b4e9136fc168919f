// Work that outlives a reload: in the entry of the history, so that Back finds it, and in the browser for the next visit.
import type { Given, Work } from "./share";

const KEPT = "seriatim-source";

export function keep(work: Work): void {
  history.replaceState(work, "", location.href);
  try {
    localStorage.setItem(KEPT, JSON.stringify(work));
  } catch {
    // A browser that keeps nothing keeps nothing.
  }
}

/** The work of this entry of the history. */
export function fromHistory(state: unknown = history.state): Work | null {
  return work(state);
}

/** The work of the last visit. */
export function fromLastVisit(): Work | null {
  try {
    return work(JSON.parse(localStorage.getItem(KEPT) ?? "null"));
  } catch {
    return null;
  }
}

function work(value: unknown): Work | null {
  const found = value as Partial<Work> | null;
  if (typeof found?.name !== "string" || typeof found.text !== "string" || !found.text.trim()) return null;
  const given: Given = Object.fromEntries(Object.entries(found.given ?? {}).filter(([, each]) => typeof each === "string"));
  return { name: found.name, text: found.text, given };
}
