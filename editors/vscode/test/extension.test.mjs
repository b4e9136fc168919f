// The extension without an editor: its settings, its grammar on real programs, and what it declares.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const manifest = JSON.parse(await readFile("package.json", "utf-8"));

async function module_(name) {
  const made = await build({ entryPoints: [`src/${name}.ts`], bundle: true, format: "esm", write: false });
  const text = Buffer.from(made.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${text}`);
}

const settings = () => module_("settings");

const configuration = (given) => ({ get: (name, fallback) => given[name] ?? fallback });

test("settings go to the server as it wants them", async () => {
  const { serverSettings, serverCommand, languages } = await settings();
  assert.deepEqual(serverSettings(configuration({ property: "safe" })), {
    property: "safe", timeout: 10, replay: false, sources: {},
  });
  assert.deepEqual(serverCommand(configuration({ command: [] })), ["ser", ["lsp"]]);
  assert.deepEqual(serverCommand(configuration({ command: ["uvx", "--from", "seriatim[lsp]", "ser", "lsp"] })), [
    "uvx", ["--from", "seriatim[lsp]", "ser", "lsp"],
  ]);
  assert.deepEqual(languages(configuration({ otherLanguages: ["python", "cobol"] })), ["ser", "conc", "actions", "python"]);
});

test("every setting has a default, and every file that is declared exists", async () => {
  for (const each of Object.values(manifest.contributes.configuration.properties)) assert.ok("default" in each);
  const { contributes } = manifest;
  for (const path of [manifest.main, contributes.snippets[0].path, ...contributes.grammars.map((each) => each.path),
    ...contributes.languages.flatMap((each) => [each.configuration, each.icon.light, each.icon.dark])]) {
    assert.ok((await readFile(path)).length > 0, path);
  }
});

test("the report has the colours of the editor, and the program in it stays as it is", async () => {
  const { inTheme } = await module_("report");
  const style = await readFile("../../src/seriatim/report/html/page.css", "utf-8");
  const page = `<style>${style}</style><code>(prefers-color-scheme: dark)</code>`;
  for (const [isDark, media, scheme] of [[true, "all", "dark"], [false, "not all", "light"]]) {
    const [themed, body] = inTheme(page, isDark).split("</style>");
    assert.ok(themed.includes(`@media ${media} {`) && themed.includes(`color-scheme: ${scheme};`));
    assert.ok(!themed.includes("prefers-color-scheme"));
    assert.equal(body, "<code>(prefers-color-scheme: dark)</code>");
  }
});

test("the grammars colour every word of the examples", async () => {
  const { Registry, INITIAL } = require("vscode-textmate");
  const oniguruma = require("vscode-oniguruma");
  await oniguruma.loadWASM(await readFile(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => JSON.parse(await readFile(`build/${scope.replace("source.", "")}.tmLanguage.json`, "utf-8")),
  });
  for (const [language, folder] of [["ser", "../../examples"], ["conc", "../../examples/threads"], ["actions", "../../examples/protocols"]]) {
    const grammar = await registry.loadGrammar(`source.${language}`);
    const programs = (await readdir(folder)).filter((name) => name.endsWith(`.${language}`));
    assert.ok(programs.length > 15);
    for (const name of programs) {
      let state = INITIAL;
      for (const line of (await readFile(`${folder}/${name}`, "utf-8")).split("\n")) {
        const found = grammar.tokenizeLine(line, state);
        state = found.ruleStack;
        for (const token of found.tokens) {
          const word = line.slice(token.startIndex, token.endIndex).trim();
          if (/^\w+$/.test(word)) assert.ok(token.scopes.length > 1, `${name}: ${word}`);
        }
      }
    }
  }
});

test("the snippets are programs", async () => {
  const snippets = JSON.parse(await readFile("snippets.json", "utf-8"));
  for (const [name, snippet] of Object.entries(snippets)) {
    assert.ok(snippet.prefix && snippet.body.length > 0 && snippet.description, name);
  }
});
