// A run step by step: buttons, keys, clicks on rows; the lines that a step executes are marked in the editor.
import type { RunPart } from "./backend";
import { fromPython, make } from "./elements";
import type { LineMarks } from "./editor";

export interface Stepping {
  readonly element: HTMLElement;
  /** Shows the state after so many steps. */
  go(step: number): void;
}

type Marker = (marks: LineMarks, reveal: boolean) => void;

const BUTTONS = [
  ["first", "|◀", "First step"],
  ["back", "◀", "Step back"],
  ["next", "▶", "Next step"],
  ["last", "▶|", "Last step"],
] as const;

type Where = (typeof BUTTONS)[number][0];

const KEYS: Readonly<Record<string, Where>> = {
  ArrowLeft: "back",
  ArrowUp: "back",
  ArrowRight: "next",
  ArrowDown: "next",
  Home: "first",
  End: "last",
};

export function timeline(run: RunPart, mark: Marker, start: "first" | "last" = "first"): Stepping {
  const frame = fromPython(run.table, { class: "frame", tabindex: 0, role: "region", "aria-label": run.title });
  const rows = [...frame.querySelectorAll<HTMLTableRowElement>("tbody tr:not(.repeat)")];
  const told = make("output", { "aria-live": "polite" });
  const columns = frame.querySelectorAll("thead th").length - 2; // Without step and state.
  const now = make("div", { class: "now" });
  const bar = make("div", { class: "bar", role: "group", "aria-label": `Steps: ${run.title}` });
  const buttons = BUTTONS.map(([where, sign, words]) =>
    make("button", { type: "button", title: words, "aria-label": words, onclick: () => step(where) }, sign),
  );
  bar.append(...buttons, told);
  const ran = new Map<number, number[]>();
  for (const row of rows) {
    for (const line of linesOf(row)) ran.set(line, [...new Set([...(ran.get(line) ?? []), hueOf(row)])].sort());
  }
  let at = start === "first" ? 0 : rows.length - 1;

  function step(where: Where): void {
    go({ first: 0, back: at - 1, next: at + 1, last: rows.length - 1 }[where], true);
  }

  function go(wanted: number, moves: boolean): void {
    at = Math.max(0, Math.min(rows.length - 1, wanted));
    rows.forEach((row, index) => {
      row.classList.toggle("current", index === at);
      if (index === at) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    const row = rows[at];
    if (!row) return;
    now.replaceChildren("shared state: ", ...stateOf(row));
    told.textContent = `Step ${at} of ${rows.length - 1}: ${row.dataset["told"] ?? ""}`;
    buttons.forEach((button, index) => {
      button.setAttribute("aria-disabled", String(index < 2 ? at === 0 : at === rows.length - 1));
    });
    mark({ ran, interrupted: run.interrupted, step: linesOf(row), hue: hueOf(row) }, moves);
    if (moves) keepInside(frame, row);
  }

  rows.forEach((row, index) => row.addEventListener("click", () => go(index, true)));
  frame.addEventListener("keydown", (event) => {
    const where = KEYS[event.key];
    if (!where || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    step(where);
  });
  const element = make("div", { class: "timeline", "data-columns": Math.max(1, Math.min(9, columns)) }, bar, now, frame);
  giveRoom(element, frame);
  go(at, false);
  return { element, go: (wanted) => go(wanted, false) };
}

/** Where requests do not fit beside the shared state, that moves from its column to a line above the run. */
function giveRoom(element: HTMLElement, frame: HTMLElement): void {
  let width = -1;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return; // Only the height has changed, as it does by what follows.
    width = element.clientWidth;
    requestAnimationFrame(() => {
      element.classList.remove("crowded");
      element.classList.toggle("crowded", frame.scrollWidth > frame.clientWidth);
    });
  });
  observer.observe(element);
}

/** The shared state after a step, to show where there is no room for its column. */
function stateOf(row: HTMLElement): Node[] {
  const cell = row.querySelector(".state");
  return cell ? [...cell.cloneNode(true).childNodes].filter((each) => !(each instanceof Element && each.matches(".who"))) : [];
}

function linesOf(row: HTMLElement): number[] {
  return (row.dataset["lines"] ?? "").split(" ").filter(Boolean).map(Number);
}

function hueOf(row: HTMLElement): number {
  return Number(/hue-(\d)/.exec(row.querySelector(".turn")?.className ?? "")?.[1] ?? 0);
}

/** Scrolls the frame alone: the page stays where it is, unless the row is out of sight. */
function keepInside(frame: HTMLElement, row: HTMLElement): void {
  const room = frame.getBoundingClientRect();
  const place = row.getBoundingClientRect();
  const above = frame.querySelector<HTMLElement>("thead")?.offsetHeight ?? 0;
  if (place.top < room.top + above) frame.scrollTop -= room.top + above - place.top;
  else if (place.bottom > room.bottom) frame.scrollTop += place.bottom - room.bottom;
  if (place.top < 0 || place.bottom > innerHeight) row.scrollIntoView({ block: "nearest" });
}
