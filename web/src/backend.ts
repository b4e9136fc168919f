// What the page asks, and who answers: the server of `ser play`, or Python in the browser.

export interface Source {
  readonly name: string;
  readonly text: string;
}

export type Property = string | { readonly property: string; readonly [parameter: string]: unknown };
export type Settings = Readonly<Record<string, string>>;

export interface Questions {
  check: { request: Source & CheckOptions; answer: CheckAnswer };
  verify: { request: Source & { certificate: string }; answer: Verification };
  fix: { request: Source & { settings: Settings; run?: boolean }; answer: Repairs };
  draw: { request: Source & { settings?: Settings }; answer: { pictures: Picture[] } };
  explore: { request: Source & { settings?: Settings; moves: readonly number[] }; answer: Exploration };
  format: { request: Source; answer: { text: string } };
}

export type Kind = keyof Questions;

export interface Asking {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Backend {
  readonly name: "server" | "browser";
  about(onLoading?: (loading: Loading) => void): Promise<About>;
  /** Rejects with `Refusal` if there is no answer, and with an `AbortError` if nobody wants it any more. */
  ask<K extends Kind>(kind: K, request: Questions[K]["request"], asking?: Asking): Promise<Questions[K]["answer"]>;
}

/** What is loaded before the first answer, and how much of it is there; null if that is not known. */
export interface Loading {
  readonly what: string;
  readonly share: number | null;
}

export interface CheckOptions {
  readonly property?: Property | null;
  readonly settings?: Settings;
  readonly seconds?: number | null;
  readonly max_states?: number | null;
  /** Whether the source may be executed. */
  readonly run?: boolean;
}

/** What files of a kind are executed for. */
export type Executed = "to decide" | "to compare";

export interface About {
  readonly version: string;
  readonly suffixes: readonly string[];
  readonly properties: readonly { name: string; takes: readonly string[] }[];
  readonly isolation: readonly string[];
  /** Models that can explain a log. */
  readonly models: readonly string[];
  readonly solver: boolean;
  /** By suffix; others are never executed. */
  readonly executed: Readonly<Record<string, Executed>>;
  readonly limits: { seconds: number; max_states: number; max_text: number };
}

export interface Progress {
  readonly stage: string;
  readonly states: number;
  readonly clean_up_to: number;
  readonly questions: number;
}

export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly end_line: number | null;
  readonly end_column: number | null;
  readonly hint: string | null;
}

export interface RunPart {
  readonly title: string;
  /** HTML, made and escaped by Python. So are the other parts of a page. */
  readonly table: string;
  readonly answers: string;
  readonly below: string;
  readonly interrupted: readonly number[];
}

export interface CheckAnswer {
  readonly file: string;
  readonly verdict: string;
  readonly method: string | null;
  readonly seconds: number;
  readonly diagnostics?: readonly Diagnostic[];
  readonly warnings?: readonly Diagnostic[];
  readonly evidence?: { readonly kind: string; readonly [key: string]: unknown };
  readonly trace?: readonly TraceTurn[];
  /** A run of the model that may be one of the source. */
  readonly suspicion?: { readonly trace: readonly TraceTurn[]; readonly loops?: unknown };
  readonly loops?: unknown;
  readonly actor?: string;
  readonly page: {
    readonly badge: string;
    readonly size: string;
    readonly name: string;
    readonly asked: string;
    readonly why: string;
    readonly runs: readonly RunPart[];
    readonly assumed: string;
  };
}

export interface TraceTurn {
  readonly request: number;
  readonly handler: string;
  readonly after: unknown;
  readonly response: string | null;
}

export interface Verification {
  readonly result: "valid" | "refused" | "unknown" | "error";
  readonly verdict?: string;
  readonly reason?: string;
  readonly diagnostics?: readonly Diagnostic[];
  readonly obligations?: readonly { claim: string; holds: boolean; detail: string }[];
}

export interface Repairs {
  readonly remarks: readonly string[];
  readonly repairs: readonly { change: string; title: string; meaning: string; text: string; never_hangs: boolean }[];
}

export interface Picture {
  readonly title: string;
  readonly svg: string | null;
  readonly nodes: number;
  /** If only a part is drawn: why the whole is too large. */
  readonly left_out: string | null;
}

export type Explicability = "explained" | "by_others" | "never" | "unexplained" | "unknown";

export interface Choice {
  readonly request: number;
  readonly handler: string;
  readonly new: boolean;
  readonly code: readonly (readonly [number | null, string])[];
  readonly changes: readonly string[];
  readonly after: unknown;
  readonly response: string | null;
}

export interface Exploration {
  readonly run: RunPart;
  readonly moves: number;
  readonly state: string;
  readonly choices: readonly Choice[];
  readonly waiting: readonly { request: number | null; handler: string; fault: string | null }[];
  readonly complete: boolean;
  readonly explicability: Explicability;
  readonly explaining: readonly { state: string; order: readonly (readonly [string, string])[]; current: boolean }[];
  readonly more_explaining: number;
  readonly unexplained_since: number | null;
  readonly refused: number | null;
}

/** Why there is no answer. */
export class Refusal extends Error {
  constructor(readonly diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((each) => each.message).join("; "));
  }
}

/** The answer of a backend, or the refusal that it is. */
export function answered<K extends Kind>(answer: Questions[K]["answer"] | { error: Diagnostic[] }): Questions[K]["answer"] {
  if ("error" in answer) throw new Refusal(answer.error);
  return answer;
}

export function refusal(message: string, hint: string | null = null): Refusal {
  return new Refusal([
    { code: "SER975", severity: "error", message, line: null, column: null, end_line: null, end_column: null, hint },
  ]);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
