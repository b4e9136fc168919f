// The verdict: what holds or fails, why, and the run that shows it.
import type { CheckAnswer, Diagnostic } from "./backend";
import { fromPython, make, prose } from "./elements";
import type { LineMarks } from "./editor";
import { timeline } from "./timeline";

const FEW_COLUMNS = 2;
/** Up to so many requests leave room for the reason beside their run, on wide screens. */

export interface VerdictActions {
  mark(marks: LineMarks, reveal: boolean): void;
  goTo(diagnostic: Diagnostic): void;
  /** Null if such a run cannot be explored. */
  readonly explore: (() => void) | null;
}

export function verdictPanel(answer: CheckAnswer, actions: VerdictActions): HTMLElement[] {
  const page = answer.page;
  const [first, ...others] = page.runs;
  const findings = [...(answer.diagnostics ?? []), ...(answer.warnings ?? [])];
  const isViolated = answer.trace !== undefined && answer.diagnostics === undefined;
  const shown = isViolated ? answer : answer.suspicion;
  const canExplore = shown !== undefined && shown.loops === undefined && answer.actor === undefined;
  const run = first ? runSection(first, actions, canExplore) : [];
  return [
    ...(page.asked ? [fromPython(page.asked, { class: "asked" })] : []),
    ...findings.map((each) => diagnosticBox(each, actions.goTo)),
    ...(page.why && !isViolated ? [fromPython(page.why, { class: "why" })] : []),
    make(
      "div",
      { class: run.some((each) => Number(each.dataset["columns"]) <= FEW_COLUMNS) ? "told few" : "told" },
      make("div", {}, ...run),
      page.why && isViolated ? make("div", {}, make("h2", {}, "Why"), fromPython(page.why, { class: "why" })) : null,
    ),
    ...others.flatMap((run) => runSection(run, actions, false)),
    ...(page.assumed ? [make("h2", {}, "Assumed"), fromPython(page.assumed, { class: "why" })] : []),
  ];
}

function runSection(run: CheckAnswer["page"]["runs"][number], actions: VerdictActions, canExplore: boolean): HTMLElement[] {
  const stepping = timeline(run, actions.mark);
  const explore = canExplore && actions.explore !== null && make("button", { type: "button", class: "quiet", onclick: actions.explore }, "Explore from here");
  return [
    make("div", { class: "heading" }, make("h2", {}, run.title), explore),
    stepping.element,
    ...(run.answers ? [make("p", { class: "answers" }, "answers: ", fromPython(run.answers, { class: "given" }))] : []),
    ...(run.below ? [fromPython(run.below)] : []),
  ];
}

/** What is wrong, where, and what to do. */
export function diagnosticBox(diagnostic: Diagnostic, goTo?: (diagnostic: Diagnostic) => void): HTMLElement {
  const place = diagnostic.line === null ? "" : `line ${diagnostic.line}`;
  const where =
    place && goTo
      ? make("button", { type: "button", class: "link", onclick: () => goTo(diagnostic) }, place)
      : place;
  return make(
    "div",
    { class: `diagnostic ${diagnostic.severity}` },
    make("p", {}, make("span", { class: "code" }, diagnostic.code), " ", where, where && ": ", ...prose(diagnostic.message)),
    diagnostic.hint ? make("p", { class: "hint" }, ...prose(diagnostic.hint)) : null,
  );
}
