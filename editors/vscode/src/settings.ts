/** What the user has set, as the language server wants it. Nothing here needs an editor. */
export interface Settings {
  property: string;
  timeout: number;
  replay: boolean;
  sources: Record<string, Record<string, string>>;
}

export interface Configuration {
  get<T>(name: string, fallback: T): T;
}

export function serverSettings(configuration: Configuration): Settings {
  return {
    property: configuration.get("property", "serializable"),
    timeout: configuration.get("timeout", 10),
    replay: configuration.get("replay", false),
    sources: configuration.get("sources", {}),
  };
}

/** The languages whose files are decided: Seriatim's own, and those that the user names. */
export function languages(configuration: Configuration): string[] {
  const others = configuration.get<string[]>("otherLanguages", []);
  return ["ser", "conc", "actions", ...others.filter((each) => ["python", "sql", "c"].includes(each))];
}

/** The program to start, and its arguments. */
export function serverCommand(configuration: Configuration): [string, string[]] {
  const [program, ...rest] = configuration.get<string[]>("command", ["ser", "lsp"]);
  return program === undefined ? ["ser", ["lsp"]] : [program, rest];
}
