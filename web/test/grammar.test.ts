import { expect, test } from "vitest";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { EXAMPLES, titleOf } from "../src/examples";
import { pieceAt, ser } from "../src/grammar";
import { suffixOf } from "../src/languages";

function scopes(line: string): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at < line.length; ) {
    const piece = pieceAt(line, at);
    if (piece) found.push([line.slice(at, at + piece.length), piece.scope]);
    at += piece?.length ?? 1;
  }
  return found;
}

test("words are coloured by what they mean", () => {
  expect(scopes("request get { X := x + 1; yield } // end")).toEqual([
    ["request", "storage.type.ser"],
    ["get", "entity.name.function.ser"],
    ["{", "punctuation.ser"],
    ["X", "variable.other.shared.ser"],
    [":=", "keyword.operator.ser"],
    ["x", "variable.other.local.ser"],
    ["+", "keyword.operator.ser"],
    ["1", "constant.numeric.ser"],
    [";", "punctuation.ser"],
    ["yield", "keyword.control.pause.ser"],
    ["}", "punctuation.ser"],
    ["// end", "comment.line.ser"],
  ]);
});

test("no character of an example is lost or without a colour", () => {
  const programs = EXAMPLES.filter((each) => suffixOf(each.name) === ".ser");
  expect(programs.length).toBeGreaterThan(50);
  for (const { name, text } of programs) {
    for (const line of text.split("\n")) {
      const coloured = scopes(line).map(([piece]) => piece).join("");
      expect(coloured.replaceAll(" ", ""), name).toBe(line.replaceAll(" ", ""));
    }
  }
});

test("the editor's parser uses these colours", () => {
  const text = "yield";
  const seen: string[] = [];
  const style = tagHighlighter([{ tag: tags.controlOperator, class: "pause" }]);
  highlightTree(ser().language.parser.parse(text), style, (from, to, name) => seen.push(`${text.slice(from, to)} ${name}`));
  expect(seen).toEqual(["yield pause"]);
});

test("examples have titles, and the first one comes first", () => {
  expect(EXAMPLES[0]?.name).toBe("lost_update.ser");
  expect(titleOf("a1_two_bolts.ser")).toBe("A1: two bolts");
  expect(new Set(EXAMPLES.map((each) => each.topic)).size).toBe(9);
  expect(EXAMPLES.filter((each) => !each.sentence).map((each) => each.name)).toEqual([]);
});
