// The packaged extension inside a real editor: code-server, which is Visual Studio Code in a browser.
// CODE_SERVER names its out/node/entry.js; without it, or without Chromium, nothing is tested.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

const ROOT = resolve("../..");
const ENTRY = process.env.CODE_SERVER ?? "";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PORT = 8798;
const skip = existsSync(ENTRY) && existsSync(CHROMIUM) ? false : "needs CODE_SERVER and Chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const SETTINGS = {
  "seriatim.command": [join(ROOT, ".venv/bin/ser"), "lsp"],
  "seriatim.otherLanguages": ["python"],
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.startupEditor": "none",
};

let folder, server, browser, page;

before(async () => {
  if (skip) return;
  folder = await mkdtemp(join(tmpdir(), "editor-"));
  const [data, extensions, files] = ["data", "extensions", "files"].map((name) => join(folder, name));
  await mkdir(join(data, "User"), { recursive: true });
  await mkdir(files);
  await writeFile(join(data, "User/settings.json"), JSON.stringify(SETTINGS));
  await writeFile(join(folder, "config.yaml"), "auth: none\n");
  for (const name of ["lost_update.ser", "spin_lock.ser", "services/visit_counter.py"]) {
    await copyFile(join(ROOT, "examples", name), join(files, name.split("/").pop()));
  }
  const options = ["--config", join(folder, "config.yaml"), "--user-data-dir", data, "--extensions-dir", extensions];
  execFileSync("node", [ENTRY, ...options, "--install-extension", resolve("build/seriatim.vsix")]);
  server = spawn("node", [ENTRY, ...options, "--bind-addr", `127.0.0.1:${PORT}`, "--disable-telemetry",
    "--disable-update-check", "--disable-workspace-trust", files]);
  await new Promise((begun) => server.stdout.on("data", (text) => String(text).includes("listening on") && begun()));
  const { chromium } = createRequire(join(ROOT, "web/"))("playwright-core");
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
  await page.goto(`http://127.0.0.1:${PORT}/?folder=${files}`);
  await page.waitForSelector(".explorer-folders-view .monaco-list-row", { timeout: 60_000 });
});

after(async () => {
  await browser?.close();
  server?.kill();
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function open(name, verdict) {
  await page.dblclick(`.explorer-folders-view .monaco-list-row:has-text("${name}")`);
  await page.waitForSelector(`.editor-group-container.active .codelens-decoration:has-text("${verdict}")`, { timeout: 60_000 });
}

async function goTo(place) {
  await page.keyboard.press("Control+g");
  await page.waitForSelector(".quick-input-widget input:focus");
  await page.keyboard.type(place);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".quick-input-widget input:focus", { state: "detached" });
}

async function report() {
  for (;;) {
    for (const frame of page.frames()) if (await frame.locator("body.seriatim").count().catch(() => 0)) return frame;
    await page.waitForTimeout(200);
  }
}

test("a race has a lens, a mark, a hover, and a report that is stepped through", { skip, timeout: 180_000 }, async () => {
  await open("lost_update.ser", "NOT SERIALIZABLE (2 requests, 4 steps)");
  await page.waitForSelector(".squiggly-error");
  await goTo("13:5");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  await page.waitForSelector(".monaco-hover:has-text('shared variable')");
  await page.click(".codelens-decoration a");
  const frame = await report();
  await frame.click("[data-go=next]");
  assert.equal(await frame.textContent(".bar output"), "Step 1 of 4: request 1: incr");
  const paper = await frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(paper, "rgb(22, 24, 27)", "the report is as dark as the editor");
});

test("a fix is applied, and the report follows", { skip, timeout: 180_000 }, async () => {
  await page.click(".view-line:has-text('request incr')");
  await goTo("12:6");
  await page.waitForSelector(".codicon-light-bulb, [class*=lightbulb]", { timeout: 60_000 }); // Keys before it are lost.
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".action-widget:has-text('Fix: put a lock around lines 11 to 13')", { timeout: 60_000 });
  await page.keyboard.press("Enter");
  await page.waitForSelector(".codelens-decoration:has-text('serializable for any number of requests')", { timeout: 60_000 });
  const frame = await report();
  await frame.waitForSelector(".badge.good", { timeout: 30_000 });
});

test("a service that may not be run stays undecided", { skip, timeout: 180_000 }, async () => {
  await open("visit_counter.py", "UNDECIDED");
});
