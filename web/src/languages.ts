// Which colours a source gets, by the suffix of its name; those of other languages are loaded when one is met.
import type { LanguageSupport } from "@codemirror/language";
import { ser } from "./grammar";

export function suffixOf(name: string): string {
  return /\.[a-z][a-z0-9]*$/.exec(name)?.[0] ?? ".ser";
}

export function isLog(name: string): boolean {
  return [".jsonl", ".edn", ".csv", ".log"].includes(suffixOf(name));
}

export async function languageOf(name: string): Promise<LanguageSupport | null> {
  switch (suffixOf(name)) {
    case ".ser":
    case ".actions":
      return ser();
    case ".py":
      return (await import("@codemirror/lang-python")).python();
    case ".sql":
      return (await import("@codemirror/lang-sql")).sql({ dialect: (await import("@codemirror/lang-sql")).PostgreSQL });
    case ".json":
    case ".jsonl":
      return (await import("@codemirror/lang-json")).json();
    case ".c":
    case ".conc":
    case ".p4":
      return (await import("@codemirror/lang-cpp")).cpp();
    default:
      return null;
  }
}
