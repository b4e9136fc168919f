// Fixes: small changes, each proved; a click applies one.
import type { Repairs } from "./backend";
import { make, prose } from "./elements";

export function fixesPanel(found: Repairs, before: string, apply: (text: string) => void): HTMLElement[] {
  const remarks = found.remarks.map((remark) => make("p", {}, ...prose(remark)));
  if (!found.repairs.length) return [make("h2", {}, "No repair found"), ...remarks];
  return [
    ...remarks,
    ...found.repairs.map((repair) =>
      make(
        "section",
        { class: "fix" },
        make(
          "div",
          { class: "heading" },
          make("h2", { class: "plain" }, ...prose(repair.title.charAt(0).toUpperCase() + repair.title.slice(1))),
          make("button", { type: "button", class: "primary", onclick: () => apply(repair.text) }, "Apply"),
        ),
        make("p", {}, ...prose(repair.meaning), repair.never_hangs ? " It is proved that no request waits for ever." : ""),
        difference(before, repair.text),
      ),
    ),
  ];
}

export interface Line {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** The shortest way from one text to another, line by line, by their longest common subsequence. */
export function compare(before: readonly string[], after: readonly string[]): Line[] {
  const longest = before.map(() => new Array<number>(after.length + 1).fill(0)).concat([new Array<number>(after.length + 1).fill(0)]);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      longest[i]![j] = before[i] === after[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i]! });
      i++;
      j++;
    } else if (i < before.length && (j === after.length || longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      lines.push({ kind: "gone", text: before[i++]! });
    } else {
      lines.push({ kind: "new", text: after[j++]! });
    }
  }
  return lines;
}

const SIGNS = { same: " ", gone: "−", new: "+" } as const;

/** The lines that change, with one line around them. */
function difference(before: string, after: string): HTMLElement {
  const lines = compare(before.trimEnd().split("\n"), after.trimEnd().split("\n"));
  const isNear = (index: number): boolean =>
    [index - 1, index, index + 1].some((near) => lines[near] !== undefined && lines[near]!.kind !== "same");
  const shown = lines.flatMap((line, index) => {
    if (isNear(index)) return [make("span", { class: line.kind }, `${SIGNS[line.kind]} ${line.text}\n`)];
    return isNear(index + 1) ? [make("span", { class: "cut" }, "  …\n")] : [];
  });
  return make("pre", { class: "difference", tabindex: 0, role: "group", "aria-label": "What changes" }, ...shown);
}
