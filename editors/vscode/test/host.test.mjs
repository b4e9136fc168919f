// The built extension with the real language server, in a host without an editor.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { createHost, loadExtension, textDocument } from "./host.mjs";

const SER = resolve("../../.venv/bin/ser");
const EXAMPLES = resolve("../../examples");
const TOKEN = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const SETTINGS = { "seriatim.command": [SER, "lsp"], "seriatim.otherLanguages": ["python", "sql", "c"], "seriatim.timeout": 30, "seriatim.replay": true,
  "seriatim.sources": { sql: { isolation: "repeatable-read" } } };

const documents = [["lost_update.ser", "ser"], ["services/visit_counter.py", "python"], ["threads/account_race.c", "c"],
  ["sql/report.sql", "sql"], ["protocols/broken_pair.actions", "actions"]].map(([name, language]) =>
  textDocument(resolve(EXAMPLES, name), language, readFileSync(resolve(EXAMPLES, name), "utf-8")));
const [counter, service, threads, transactions, protocol] = documents;
const { host, seen } = createHost(SETTINGS, documents);
let extension;

before(async () => {
  assert.ok(existsSync(SER), "make setup installs the language server");
  extension = loadExtension(resolve("build/extension.js"), host);
  await extension.activate({ subscriptions: [] });
});

after(() => extension.deactivate());

async function told(document, wanted, seconds = 120) {
  const ends = Date.now() + seconds * 1000;
  for (;;) {
    const found = (seen.diagnostics.get(document.uri.toString()) ?? []).find(wanted);
    if (found) return found;
    assert.ok(Date.now() < ends, `nothing of that kind: ${JSON.stringify([...seen.diagnostics])} ${seen.errors}`);
    await new Promise((heard) => setTimeout(heard, 200));
  }
}

/** The first answer of the providers of some kind that has something to say, which may take a while. */
async function asked(kind, method, ...rest) {
  const ends = Date.now() + 100_000;
  while (Date.now() < ends) {
    for (const provider of seen.providers[kind] ?? []) {
      const found = await provider[method](...rest, TOKEN, { triggerKind: 0 });
      if (found && (found.items ?? found.contents ?? found).length) return found;
    }
    await new Promise((heard) => setTimeout(heard, 300));
  }
  return assert.fail(`${kind} has no answer`);
}

const at = (line, character) => new host.Position(line - 1, character);

test("every language has its verdict at its place", { timeout: 200_000 }, async () => {
  const code = (wanted) => (each) => (each.code?.value ?? each.code) === wanted;
  assert.match((await told(counter, code("not-serializable"))).message, /2 requests, 4 steps/);
  assert.match((await told(service, code("not-serializable"))).message, /2 requests, 4 steps/);
  const failure = await told(threads, code("unsafe"));
  assert.match(threads.lineAt(failure.range.start.line).text, /assert/);
  assert.ok(await told(transactions, code("not-serializable")));
  assert.ok(await told(protocol, code("broken")));
});

test("the program has a lens, a hover, completions, folds and an outline", async () => {
  const [lens] = await asked("registerCodeLensProvider", "provideCodeLenses", counter);
  assert.match(lens.command.title, /NOT SERIALIZABLE/);
  const hover = await asked("registerHoverProvider", "provideHover", counter, at(13, 4));
  assert.match(hover.contents[0].value, /shared variable/);
  const completions = await asked("registerCompletionItemProvider", "provideCompletionItems", counter, at(13, 4));
  assert.ok((completions.items ?? completions).some((each) => each.label === "yield"));
  const folds = await asked("registerFoldingRangeProvider", "provideFoldingRanges", counter, {});
  assert.ok(folds.length >= 2);
  assert.ok(seen.providers.registerDocumentSemanticTokensProvider.length > 0);
});

test("a line of a service says what the run does there, and there are fixes", { timeout: 200_000 }, async () => {
  const hover = await asked("registerHoverProvider", "provideHover", service, at(10, 14));
  assert.match(hover.contents[0].value, /in this run: self\.visits = 0 ➜ self\.visits = 1/);
  for (const [document, code, title] of [[threads, "unsafe", /mutex/], [transactions, "not-serializable", /FOR UPDATE/], [service, "not-serializable", /lock/]]) {
    const found = await told(document, (each) => (each.code?.value ?? each.code) === code);
    const actions = await asked("registerCodeActionsProvider", "provideCodeActions", document, found.range, { diagnostics: [found], triggerKind: 1 });
    assert.match(actions[0].title, title);
  }
});

test("the report opens beside the text, in the colours of the editor", { timeout: 100_000 }, async () => {
  await host.commands.executeCommand("seriatim.showReport", counter.uri.toString());
  const [panel] = seen.panels;
  assert.equal(panel.title, "Report: lost_update.ser");
  assert.match(panel.webview.html, /NOT SERIALIZABLE|not serializable/);
  assert.match(panel.webview.html, /color-scheme: dark/);
  assert.deepEqual(seen.errors, []);
});
