// The editor: CodeMirror in a shadow root, where its styles need no exception from the page's policy.
import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  type LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags as t } from "@lezer/highlight";
import type { Diagnostic } from "./backend";

const COLOURS = HighlightStyle.define([
  { tag: t.lineComment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: t.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: t.controlOperator, color: "var(--code-pause)", fontWeight: "600" },
  { tag: [t.keyword, t.controlKeyword, t.definitionKeyword, t.operatorKeyword], color: "var(--code-word)" },
  { tag: [t.number, t.bool], color: "var(--code-number)" },
  { tag: [t.string, t.special(t.string)], color: "var(--code-global)" },
  { tag: t.special(t.variableName), color: "var(--code-global)" },
  { tag: [t.function(t.variableName), t.definition(t.variableName)], color: "var(--code-name)" },
]);

const HUES = [0, 1, 2, 3, 4, 5];
const LANES = [0, 1, 2];
/** How many requests that execute a line are told apart beside it. */
const LANE = 4;

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "transparent", fontSize: "var(--code-size)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line-tint)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "none" },
  ".cm-selectionMatch": { backgroundColor: "var(--line-tint)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-textfield, .cm-button": { backgroundColor: "var(--paper)", backgroundImage: "none", color: "inherit", borderColor: "var(--line)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--link)", color: "var(--paper)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", fontSize: "14px", padding: "6px 10px", maxWidth: "36rem" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--open)" },
  ".cm-line": { paddingLeft: `${LANES.length * LANE + 4}px` },
  ".cm-ran": { boxShadow: LANES.map((lane) => `inset ${(lane + 1) * LANE}px 0 var(--lane-${lane}, transparent)`).join(", ") },
  ".cm-interrupted": { backgroundColor: "color-mix(in srgb, var(--bad) 11%, transparent)" },
  ".cm-step": { backgroundColor: "color-mix(in srgb, var(--hue) 20%, transparent)" },
  ...Object.fromEntries(HUES.map((hue) => [`.cm-hue-${hue}`, { "--hue": `var(--hue-${hue})` }])),
  ...Object.fromEntries(HUES.flatMap((hue) => LANES.map((lane) => [`.cm-lane-${lane}-${hue}`, { [`--lane-${lane}`]: `var(--hue-${hue})` }]))),
});

/** What a run says about lines: who executes them, where requests are interrupted, what the present step executes. */
export interface LineMarks {
  /** The colours of the requests that execute a line. */
  readonly ran: ReadonlyMap<number, readonly number[]>;
  readonly interrupted: readonly number[];
  readonly step: readonly number[];
  readonly hue: number;
}

export const NO_MARKS: LineMarks = { ran: new Map(), interrupted: [], step: [], hue: 0 };

const setMarks = StateEffect.define<LineMarks>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) return decorations(transaction.state.doc, effect.value);
    }
    return transaction.docChanged ? Decoration.none : shown;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(text: Text, given: LineMarks): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const [interrupted, step] = [new Set(given.interrupted), new Set(given.step)];
  for (let line = 1; line <= text.lines; line++) {
    const names = [
      ...lanes(given.ran.get(line) ?? []),
      interrupted.has(line) ? "cm-interrupted" : "",
      step.has(line) ? `cm-step cm-hue-${given.hue}` : "",
    ].filter(Boolean);
    if (names.length) builder.add(text.line(line).from, text.line(line).from, Decoration.line({ class: names.join(" ") }));
  }
  return builder.finish();
}

function lanes(hues: readonly number[]): string[] {
  return hues.length ? ["cm-ran", ...hues.slice(0, LANES.length).map((hue, lane) => `cm-lane-${lane}-${hue}`)] : [];
}

export interface Editor {
  text(): string;
  replace(text: string): void;
  show(diagnostics: readonly Diagnostic[]): void;
  mark(lines: LineMarks, reveal: boolean): void;
  speak(language: LanguageSupport | null, name: string): void;
  focus(line?: number, column?: number): void;
}

export function createEditor(host: HTMLElement, onChange: () => void, onRun: () => void): Editor {
  const root = host.attachShadow({ mode: "open" });
  const language = new Compartment();
  const label = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: "",
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        indentOnInput(),
        indentUnit.of("    "),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [completeAnyWord], activateOnTyping: false }),
        highlightActiveLine(),
        highlightSelectionMatches(),
        lintGutter(),
        syntaxHighlighting(COLOURS),
        THEME,
        marks,
        language.of([]),
        label.of(labelled("")),
        keymap.of([
          { key: "Mod-Enter", run: () => (onRun(), true) },
          { key: "Mod-/", run: toggleComment },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...completionKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
    },
    show(diagnostics) {
      view.dispatch(setDiagnostics(view.state, diagnostics.map((each) => mark(view.state.doc, each))));
    },
    mark(lines, reveal) {
      const first = lines.step[0];
      const place = reveal && first !== undefined && first <= view.state.doc.lines ? view.state.doc.line(first).from : null;
      view.dispatch({
        effects: [setMarks.of(lines), ...(place === null ? [] : [EditorView.scrollIntoView(place, { y: "nearest", yMargin: 40 })])],
      });
    },
    speak(support, name) {
      view.dispatch({ effects: [language.reconfigure(support ?? []), label.reconfigure(labelled(name))] });
    },
    focus(line, column) {
      if (line !== undefined && line <= view.state.doc.lines) {
        const found = view.state.doc.line(line);
        view.dispatch({ selection: { anchor: Math.min(found.from + (column ?? 1) - 1, found.to) }, scrollIntoView: true });
      }
      view.focus();
    },
  };
}

function labelled(name: string) {
  const label = name ? `Source of ${name}` : "Source";
  return EditorView.contentAttributes.of({ "aria-label": label, "aria-description": "Press Escape, then Tab, to leave the editor.", tabindex: "0" });
}

/** The place of a diagnostic; one without a place stands at the beginning. */
export function placeOf(text: Text, diagnostic: Diagnostic): { from: number; to: number } {
  if (diagnostic.line === null || diagnostic.line > text.lines) return { from: 0, to: 0 };
  const at = (line: number, column: number): number => {
    const found = text.line(Math.min(line, text.lines));
    return Math.min(found.from + codeUnits(found.text, column - 1), found.to);
  };
  const from = at(diagnostic.line, diagnostic.column ?? 1);
  const to = at(diagnostic.end_line ?? diagnostic.line, diagnostic.end_column ?? diagnostic.column ?? 1);
  return { from, to: Math.max(from, to) };
}

/** Python counts characters, browsers code units. */
function codeUnits(line: string, characters: number): number {
  return Array.from(line).slice(0, characters).join("").length;
}

function mark(text: Text, diagnostic: Diagnostic): Mark {
  return {
    ...placeOf(text, diagnostic),
    severity: diagnostic.severity === "note" ? "info" : diagnostic.severity,
    source: diagnostic.code,
    message: diagnostic.hint ? `${diagnostic.message}\n${diagnostic.hint}` : diagnostic.message,
  };
}
