import { Text } from "@codemirror/state";
import { expect, test, vi } from "vitest";
import type { Diagnostic, Picture, RunPart } from "../src/backend";
import { placeOf } from "../src/editor";
import { make, prose } from "../src/elements";
import { compare } from "../src/fixes";
import { sentenceOf } from "../src/examples";
import { findExamples } from "../src/gallery";
import { fromHistory, fromLastVisit, keep } from "../src/kept";
import { observed, optionsForm } from "../src/options";
import { findIn, picturesPanel } from "../src/pictures";
import { createTabs } from "../src/tabs";
import { timeline } from "../src/timeline";
import { diagnosticBox } from "../src/verdict";

// jsdom lays nothing out, and so has no observer of sizes.
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

const DIAGNOSTIC: Diagnostic = { code: "SER001", severity: "error", message: "unexpected `&`", line: 2, column: 3, end_line: 2, end_column: 4, hint: "write `&&`" };

test("changes are the shortest way from one text to another", () => {
  const lines = compare(["a", "yield", "b"], ["a", "b", "c"]);
  expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual(["same a", "gone yield", "same b", "new c"]);
});

test("observed names are a list without repetition, or everything", () => {
  expect(observed("Y, X,,Y")).toEqual(["X", "Y"]);
  expect(observed(" all ")).toBe("all");
});

test("places count characters as Python does", () => {
  const text = Text.of(["// 😀", "😀 & b"]);
  const { from, to } = placeOf(text, DIAGNOSTIC);
  expect(text.sliceString(from, to)).toBe("&");
  expect(placeOf(text, { ...DIAGNOSTIC, line: null })).toEqual({ from: 0, to: 0 });
  expect(placeOf(text, { ...DIAGNOSTIC, line: 99 })).toEqual({ from: 0, to: 0 });
});

test("texts of programs are never parsed as HTML", () => {
  const box = diagnosticBox({ ...DIAGNOSTIC, message: "<img src=x>", hint: "`<b>`" });
  expect(box.querySelector("img, b")).toBeNull();
  expect(box.textContent).toContain("<img src=x>");
  expect(make("p", {}, ...prose("a `b` c")).innerHTML).toBe("a <code>b</code> c");
});

const RUN: RunPart = {
  title: "The run",
  table: `<table class="run"><thead><tr><th>step</th></tr></thead><tbody>
    <tr class="start" data-told="at the start"><th>0</th></tr>
    <tr data-told="request 1: inc" data-lines="2 3"><th>1</th><td class="turn hue-0"></td></tr>
    <tr class="repeat"><th>3 times</th></tr>
    <tr data-told="request 2: inc" data-lines="2"><th>2</th><td class="turn hue-1"></td></tr></tbody></table>`,
  answers: "",
  below: "",
  interrupted: [3],
};

test("a run is stepped through by buttons, keys and clicks", () => {
  const mark = vi.fn();
  const { element } = timeline(RUN, mark);
  document.body.replaceChildren(element);
  const told = (): string | null => element.querySelector("output")!.textContent;
  expect(told()).toBe("Step 0 of 2: at the start");
  element.querySelector<HTMLElement>("[title='Next step']")!.click();
  expect(told()).toBe("Step 1 of 2: request 1: inc");
  expect(mark).toHaveBeenLastCalledWith({ ran: new Map([[2, [0, 1]], [3, [0]]]), interrupted: [3], step: [2, 3], hue: 0 }, true);
  element.querySelector(".frame")!.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
  expect(told()).toBe("Step 2 of 2: request 2: inc");
  expect(mark).toHaveBeenLastCalledWith({ ran: new Map([[2, [0, 1]], [3, [0]]]), interrupted: [3], step: [2], hue: 1 }, true);
  expect(element.querySelector("[title='Next step']")!.getAttribute("aria-disabled")).toBe("true");
  element.querySelector<HTMLElement>("tr.start")!.click();
  expect(told()).toBe("Step 0 of 2: at the start");
});

test("pictures that take too long are named together", () => {
  const missing = (title: string): Picture => ({ title, svg: null, nodes: 0, left_out: null });
  const panel = picturesPanel([missing("The network system"), missing("The Petri net")]);
  expect(panel.map((each) => each.querySelector("p")!.textContent)).toEqual(["The network system and the Petri net take too long to draw."]);
});

test("a picture of a part says why the whole is not drawn", () => {
  const panel = picturesPanel([{ title: "The network system", svg: '<svg viewBox="0 0 9 9"></svg>', nodes: 7, left_out: "`X` keeps growing" }]);
  expect(panel[0]!.querySelector(".hint")!.textContent).toBe("a part: X keeps growing; … stands for the rest");
});

test("tabs follow the arrow keys and leave out those that do not fit", () => {
  const opened = vi.fn();
  const tabs = createTabs("Tabs", [{ id: "a", title: "A" }, { id: "b", title: "B" }, { id: "c", title: "C" }], opened);
  document.body.replaceChildren(tabs.list, ...tabs.panels.values());
  tabs.allow("b", false);
  tabs.list.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  expect(opened).toHaveBeenLastCalledWith("c");
  expect(tabs.panels.get("a")!.hidden).toBe(true);
  tabs.allow("c", false);
  expect(tabs.current()).toBe("a");
});

test("words are found in pictures, whatever their case", () => {
  const box = make("div");
  box.innerHTML = "<svg><text>X = 0</text><text>yield</text></svg>";
  const graph = box.querySelector("svg")!;
  expect(findIn(graph, "x").map((hit) => hit.textContent)).toEqual(["X = 0"]);
  expect(findIn(graph, "").length).toBe(0);
  expect(graph.querySelector(".hit")).toBeNull();
});

test("a link fills the form, and tells what the form does not know", () => {
  const about = { properties: [{ name: "serializable", takes: ["observe"] }, { name: "safe", takes: [] }], isolation: ["read-committed", "serializable"], models: ["register"], limits: { seconds: 30 } } as never;
  const form = optionsForm(about, () => {});
  form.fit("a.sql");
  expect(form.given()).toEqual({});
  expect(form.fill({ property: "safe", isolation: "serializable", seconds: "5", colour: "red" })).toEqual(["colour=red"]);
  expect(form.options()).toEqual({ property: "safe", settings: { isolation: "serializable" }, seconds: 5 });
  expect(form.given()).toEqual({ property: "safe", isolation: "serializable", seconds: "5" });
  expect(form.fill({ property: "perfect" })).toEqual(["property=perfect"]);
  expect(form.given()).toEqual({});
});

test("examples are found by words of their sentence, name or topic", () => {
  const examples = [
    { name: "a.sql", text: "", title: "A", topic: "SQL", sentence: "Money is spent twice." },
    { name: "b.ser", text: "", title: "B", topic: "Requests", sentence: "A lock." },
  ];
  expect(findExamples(examples, "twice money").map((each) => each.name)).toEqual(["a.sql"]);
  expect(findExamples(examples, "").length).toBe(2);
  expect(sentenceOf("// One thing,\n// in two lines. Another.\n\nx")).toBe("One thing, in two lines.");
  expect(sentenceOf('"""A service: `x.y` is read."""\n')).toBe("A service: `x.y` is read.");
  expect(sentenceOf("-- Who?\nSELECT 1")).toBe("Who?");
});

test("work is kept with its question, and what is not work is no work", () => {
  keep({ name: "a.ser", text: "request a { 1 }", given: { property: "safe" } });
  expect(fromLastVisit()).toEqual({ name: "a.ser", text: "request a { 1 }", given: { property: "safe" } });
  expect(fromHistory()).toEqual(fromLastVisit());
  expect(fromHistory({ name: "a.ser", text: " " })).toBeNull();
  expect(fromHistory("?")).toBeNull();
});
