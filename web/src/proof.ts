// The certificate: what it is, to keep it, and to have it checked independently.
import { isAbort, Refusal, type Backend, type CheckAnswer, type Source, type Verification } from "./backend";
import { make, prose } from "./elements";
import { diagnosticBox } from "./verdict";

export function proofPanel(answer: CheckAnswer, source: Source, backend: Backend): HTMLElement[] {
  if (!answer.evidence) return [make("p", { class: "hint" }, "There is no verdict, and so no evidence.")];
  const text = JSON.stringify(answer.evidence, null, 1);
  const outcome = make("div", { "aria-live": "polite" });
  const stem = source.name.replace(/\.\w+$/, "") || "program";
  const facts: readonly (readonly [string, string])[] = [
    ["Verdict", answer.verdict.replaceAll("_", " ")],
    ["Kind of evidence", answer.evidence.kind],
    ["Found by", answer.method ?? ""],
    ["Size", `${new Blob([text]).size.toLocaleString("en")} bytes`],
  ];
  const chosen = make("input", { type: "file", accept: ".json,application/json", id: "certificate-file", onchange: () => void checkFile() });

  async function check(certificate: string): Promise<void> {
    outcome.replaceChildren(make("p", { class: "hint" }, "Checking…"));
    try {
      outcome.replaceChildren(...verification(await backend.ask("verify", { ...source, certificate })));
    } catch (error) {
      if (!isAbort(error)) outcome.replaceChildren(...(error instanceof Refusal ? error.diagnostics.map((each) => diagnosticBox(each)) : [String(error)]));
    }
  }

  async function checkFile(): Promise<void> {
    const file = chosen.files?.[0];
    if (file) await check(await file.text());
  }

  return [
    make(
      "p",
      {},
      "The evidence convinces a checker that shares no engine with what found it. Keep it, and check it anywhere: ",
      make("code", {}, `ser verify ${stem}.cert.json ${source.name}`),
    ),
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make(
      "div",
      { class: "bar" },
      make("button", { type: "button", class: "primary", onclick: () => save(`${stem}.cert.json`, text) }, "Download certificate"),
      make("button", { type: "button", onclick: () => void check(text) }, "Check it"),
      make("label", { for: "certificate-file", class: "file" }, "Check another one…"),
      chosen,
    ),
    outcome,
  ];
}

function verification(found: Verification): HTMLElement[] {
  const [kind, headline] = {
    valid: ["good", `Valid: the program is ${(found.verdict ?? "").replaceAll("_", " ")}`],
    refused: ["bad", "Refused: this proves nothing about this program"],
    unknown: ["open", `Undecided: ${found.reason ?? ""}`],
    error: ["bad", "This is not a certificate for this program"],
  }[found.result] as [string, string];
  const obligations = (found.obligations ?? []).map((each) =>
    make("li", { class: each.holds ? "holds" : "fails" }, ...prose(each.claim), each.detail ? make("span", { class: "hint" }, " ", ...prose(each.detail)) : null),
  );
  return [
    make("div", { class: `status ${kind}`, role: "status" }, make("strong", {}, headline)),
    ...(found.diagnostics ?? []).map((each) => diagnosticBox(each)),
    ...(obligations.length ? [make("ul", { class: "obligations" }, ...obligations)] : []),
  ];
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
