// Colours of `.ser` programs in the editor, from the TextMate grammar that editors and the site use, too.
import { LanguageSupport, StreamLanguage } from "@codemirror/language";
import { tags, type Tag } from "@lezer/highlight";
import grammar from "../../editors/grammar/ser.tmLanguage.json";

export interface Rule {
  readonly scope: string;
  readonly match: RegExp;
}

/** Sticky, so that a rule is tried at one place only. */
export const RULES: readonly Rule[] = grammar.patterns.map((pattern) => ({
  scope: pattern.name,
  match: new RegExp(pattern.match, "y"),
}));

const TAGS: readonly (readonly [string, Tag])[] = [
  ["comment", tags.lineComment],
  ["keyword.control.pause", tags.controlOperator],
  ["keyword.operator.word", tags.operatorKeyword],
  ["keyword.operator", tags.operator],
  ["keyword", tags.controlKeyword],
  ["storage", tags.definitionKeyword],
  ["entity", tags.function(tags.variableName)],
  ["variable.other.shared", tags.special(tags.variableName)],
  ["variable", tags.variableName],
  ["constant.numeric", tags.number],
  ["punctuation", tags.punctuation],
];

/** The length and the scope of the piece of a line that begins at some place; null if it has no colour. */
export function pieceAt(line: string, at: number): { length: number; scope: string } | null {
  for (const rule of RULES) {
    rule.match.lastIndex = at;
    const found = rule.match.exec(line);
    if (found && found[0].length > 0) return { length: found[0].length, scope: rule.scope };
  }
  return null;
}

const tokenTable: Record<string, Tag> = Object.fromEntries(
  RULES.map((rule) => [name(rule.scope), TAGS.find(([prefix]) => rule.scope.startsWith(prefix))![1]]),
);

function name(scope: string): string {
  return scope.replaceAll(".", "_");
}

export function ser(): LanguageSupport {
  const language = StreamLanguage.define({
    name: "ser",
    tokenTable,
    languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{"] } },
    token(stream) {
      const found = pieceAt(stream.string, stream.pos);
      if (!found) {
        stream.next();
        return null;
      }
      stream.pos += found.length;
      return name(found.scope);
    },
  });
  return new LanguageSupport(language);
}
