// The page as a person uses it, with both backends.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browse, open, ready, SER, servePlay, servePlayground, type, verdict, type Seen, type Served } from "./stage";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
const FLIP = "X in 0..1 := 0\n\nrequest flip {\n    x := X;\n    yield;\n    X := 1 - x;\n    x\n}\n";
const TEN = [...Array(10).keys()];
const LONG = [
  ...TEN.map((n) => `A${n} in 0..9 wrap := 0`),
  ...TEN.slice(0, 4).map((j) => `request r${j} { lock(L); yield; ${TEN.map((n) => `A${n} := A${n} + A${(n + j + 1) % 10} + ${j + 1}; yield;`).join(" ")} x := A${j}; unlock(L); x }`),
].join("\n");
/** Takes more time than anybody gives it. */

let browser: Browser;

beforeAll(async () => {
  browser = await browse();
});
afterAll(() => browser.close());

async function choose(page: Page, name: string): Promise<void> {
  await page.click("#examples");
  await page.fill("#gallery input", name);
  await page.click(`.card:has(code:text-is("${name}"))`);
  const confirm = page.locator("#gallery button.primary");
  if (await confirm.isVisible()) await confirm.click();
  await page.waitForFunction((wanted) => document.querySelector<HTMLInputElement>("#name")!.value === wanted, name);
}

describe.each([
  ["ser play", servePlay],
  ["the site without a server", servePlayground],
] as const)("with %s", (_, serve) => {
  let served: Served;
  let seen: Seen;
  let page: Page;

  beforeAll(async () => {
    served = await serve();
    seen = await open(browser, served.address);
    page = seen.page;
  });
  afterAll(async () => {
    await page.context().close();
    served.stop();
  });
  afterEach(() => expect(seen.troubles).toEqual([]));

  test("a program is typed, mistakes are marked, and the verdict comes by itself", async () => {
    await type(page, "request a { X ++ }");
    await verdict(page, "bad input");
    await page.waitForSelector("#editor .cm-lintRange-error");
    expect(await page.textContent("#panel-verdict")).toContain("write x := x + 1");
    await type(page, FLIP.replace("    yield;\n", ""));
    await verdict(page, "serializable for any number of requests");
    await type(page, FLIP);
    await verdict(page, "not serializable");
    expect(await page.textContent("#headline .size")).toMatch(/^2 requests, 4 steps(, \d+\.\d s)?$/);
    expect(await page.textContent("#panel-verdict")).toContain("A contradiction");
  });

  test("a run is stepped through, by buttons and keys, and the editor follows", async () => {
    const told = page.locator("#panel-verdict output");
    await page.click("[title='Next step']");
    expect(await told.textContent()).toBe("Step 1 of 4: request 1: flip");
    expect(await page.locator("#editor .cm-step").count()).toBe(2);
    await page.focus("#panel-verdict .frame");
    await page.keyboard.press("End");
    expect(await told.textContent()).toMatch(/^Step 4 of 4/);
    await page.keyboard.press("ArrowLeft");
    expect(await told.textContent()).toMatch(/^Step 3 of 4/);
  });

  test("exploring goes to a violation, and says at which move", async () => {
    await page.click("#tab-explore");
    const status = page.locator("#panel-explore .status strong");
    for (const [button, expected] of [
      ["new request 1", "Still explained"],
      ["new request 2", "Still explained"],
      ["request 1:", "Still explained"],
      ["request 2:", "Inexplicable since move 4"],
    ] as const) {
      await page.click(`.move:has-text("${button}")`);
      await status.filter({ hasText: expected }).waitFor();
    }
    expect(await page.textContent("#panel-explore .status")).toContain("this run is a counterexample");
    await page.click("#undo");
    await status.filter({ hasText: "Still explained" }).waitFor();
    await page.click("#tab-verdict");
    await page.click("text=Explore from here");
    await page.waitForSelector("#panel-explore .bar:has-text('3 moves')");
  });

  test("a certificate is saved, checked on the page, and by `ser verify`", async () => {
    await page.click("#tab-proof");
    await page.click("button:has-text('Check it')");
    await page.waitForSelector("#panel-proof .status.good:has-text('Valid: the program is not serializable')");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download certificate")]);
    const folder = mkdtempSync(join(tmpdir(), "certificate-"));
    const certificate = join(folder, download.suggestedFilename());
    await download.saveAs(certificate);
    writeFileSync(join(folder, "flip.ser"), FLIP);
    expect(execFileSync(SER, ["verify", certificate, join(folder, "flip.ser")]).toString()).toContain("valid");
    const forged = join(folder, "forged.json");
    writeFileSync(forged, readFileSync(certificate, "utf-8").replaceAll(/"response": "0"/g, '"response": "1"'));
    await page.setInputFiles("#certificate-file", forged);
    await page.waitForSelector("#panel-proof .status.bad:has-text('Refused')");
  });

  test("a fix is applied with a click, and proved", async () => {
    await page.click("#tab-fixes");
    await page.click(".fix:has-text('lock') button:has-text('Apply')", { timeout: 30_000 });
    await verdict(page, "serializable for any number of requests");
    expect(await page.textContent("#editor .cm-content")).toContain("lock(");
  });

  test("pictures are drawn and searched", async () => {
    await page.click("#tab-pictures");
    await page.waitForSelector("#panel-pictures svg");
    expect(await page.locator("#panel-pictures svg").count()).toBe(3);
    await page.fill("#panel-pictures input[type=search] >> nth=0", "flip");
    expect(await page.locator("#panel-pictures text.hit").count()).toBeGreaterThan(0);
    const before = await page.locator("#panel-pictures svg >> nth=0").boundingBox();
    await page.click("[title=Larger] >> nth=0");
    const after = await page.locator("#panel-pictures svg >> nth=0").boundingBox();
    expect(after!.width).toBeGreaterThan(before!.width);
  });

  test("a link carries the program", async () => {
    await page.click("#share");
    await page.waitForSelector("#note:has-text('Link copied')");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toContain("#s=");
    await type(page, "request a { 1 }");
    await page.goto(link.replace(/#.*/, "#"));
    await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
    await page.waitForFunction(() => document.querySelector("#editor")?.shadowRoot?.querySelector(".cm-content")?.textContent?.includes("lock("));
    await ready(page);
  });

  test("a long check is stopped, and the next one is answered", async () => {
    await type(page, LONG);
    await page.waitForSelector("#verdict.busy #cancel");
    await page.waitForTimeout(1_500);
    expect(await page.textContent("#headline")).toContain("checking…");
    await page.waitForFunction(() => document.querySelector("#progress")!.textContent!.length > 3); // What is tried.
    await page.click("#cancel");
    expect(await page.textContent("#headline")).toContain("stopped");
    await type(page, FLIP);
    await verdict(page, "not serializable");
  });

  test("transactions in SQL and threads are decided", async () => {
    for (const [label, expected] of [
      ["on_call.sql", "write skew"],
      ["lost_update.conc", "unsafe"],
      ["account_race.c", "unsafe 3 threads"],
    ] as const) {
      await choose(page, label);
      if (label === "on_call.sql") await page.selectOption("#isolation", "repeatable-read");
      await verdict(page, expected);
    }
  });
});

describe("ser play", () => {
  test("the keyboard alone goes through the whole page", async () => {
    const served = await servePlay();
    const { page } = await open(browser, served.address);
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement!.id || document.activeElement!.tagName);
    const passed: string[] = [];
    for (let press = 0; press < 17; press++) {
      if ((await focused()) === "editor") await page.keyboard.press("Escape"); // Tab alone indents there.
      await page.keyboard.press("Tab");
      passed.push(await focused());
    }
    const order = ["examples", "open", "save", "format", "share", "help", "theme", "name", "editor", "split", "SUMMARY", "tab-verdict"];
    expect(passed.slice(0, order.length)).toEqual(order);
    expect(new Set(passed.slice(order.length))).toContain("panel-verdict");
    await page.context().close();
    served.stop();
  });

  test("a program is still there after a reload, however slow that is", async () => {
    const served = await servePlay();
    const { page } = await open(browser, served.address);
    await type(page, FLIP.replace("    yield;\n", ""));
    await verdict(page, "serializable for any number of requests");
    await page.route("**/assets/examples-*.js", async (route) => {
      await page.waitForTimeout(1_500);
      await route.continue();
    });
    await page.reload();
    await ready(page);
    expect(await page.textContent("#editor .cm-content")).toContain("request flip");
    await page.context().close();
    served.stop();
  });
});

describe("work is not lost", () => {
  let served: Served;

  beforeAll(async () => {
    served = await servePlay();
  });
  afterAll(() => served.stop());

  test("a link carries the question: SQL at repeatable read has the same verdict elsewhere", async () => {
    const { page } = await open(browser, served.address);
    await choose(page, "on_call.sql");
    await page.selectOption("#isolation", "repeatable-read");
    await page.fill("#seconds", "25");
    await verdict(page, "write skew");
    await page.click("#share");
    await page.waitForFunction(() => location.hash.includes("isolation=repeatable-read&seconds=25"));
    const link = page.url();
    const { page: other } = await open(browser, link);
    await verdict(other, "write skew");
    expect(await other.inputValue("#isolation")).toBe("repeatable-read");
    await Promise.all([page.context().close(), other.context().close()]);
  });

  test("a damaged link says so, and so does one that asks for something unknown", async () => {
    const { page } = await open(browser, `${served.address}#s=AAAA`);
    expect(await page.textContent("#notice")).toContain("This link is damaged");
    await page.evaluate(() => (location.hash = "s=O7wnKbVIrzi1iKsotbA0tbhEIVGhWsFQoVZBX18hvejwtsPzgXIA&property=perfect"));
    await page.waitForSelector("#notice:has-text('property=perfect')");
    await page.click("#notice button");
    expect(await page.isVisible("#notice")).toBe(false);
    await page.context().close();
  });

  test("what was typed over a link is there after a reload, and the link no longer claims to be it", async () => {
    const { page } = await open(browser, `${served.address}#s=O7wnKbVIrzi1iKsotbA0tbhEIVGhWsFQoVZBX18hvejwtsPzgXIA`);
    await type(page, FLIP);
    await verdict(page, "not serializable");
    expect(await page.evaluate(() => location.hash)).toBe("");
    await page.reload();
    await ready(page);
    expect(await page.textContent("#editor .cm-content")).toContain("request flip");
    await page.context().close();
  });

  test("an example asks before it takes the place of work, and Back brings the work back", async () => {
    const { page } = await open(browser, served.address);
    await type(page, FLIP);
    await verdict(page, "not serializable");
    await page.click("#examples");
    await page.fill("#gallery input", "spin lock");
    await page.click(".card:has-text('spin_lock.ser')");
    expect(await page.textContent("#gallery [role=alert]")).toContain("You have changed the program");
    await page.click("#gallery button.primary");
    await verdict(page, "serializable for any number of requests");
    await page.goBack();
    await verdict(page, "not serializable");
    expect(await page.textContent("#editor .cm-content")).toContain("request flip");
    await page.context().close();
  });

  test.each([390, 1280] as const)("help says the language in short, fits the screen and passes axe at %i px", async (width) => {
    const { page } = await open(browser, served.address, width);
    await page.click("#help");
    expect(await page.textContent("#sheet")).toContain("Other requests may run here");
    const box = await page.locator("#sheet").boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(width);
    await page.evaluate(AXE);
    expect(await page.evaluate(async () => (await (window as never as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run()).violations.map((each) => each.id))).toEqual([]);
    await page.click("#sheet button");
    expect(await page.isVisible("#sheet")).toBe(false);
    await page.context().close();
  });

  test("another question changes the link in the address", async () => {
    const { page } = await open(browser, served.address);
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#s="));
    await page.click(".question summary");
    await page.fill("#seconds", "7");
    await page.waitForFunction(() => location.hash.endsWith("&seconds=7"));
    await page.context().close();
  });

  test("requests have one colour in the run, beside the source and in the text; why stands beside the run", async () => {
    const { page } = await open(browser, served.address, 1920);
    const [run, why] = await Promise.all([".told .timeline", ".told .why"].map((each) => page.locator(each).boundingBox()));
    expect(why!.x).toBeGreaterThan(run!.x + run!.width);
    expect(await page.locator("#editor .cm-lane-0-0.cm-lane-1-1").count()).toBe(4);
    await choose(page, "read_only_anomaly.ser");
    await verdict(page, "3 requests");
    expect(await page.locator("#editor .cm-lane-0-2").count()).toBe(1);
    const colour = (selector: string, property: string): Promise<string> =>
      page.locator(selector).first().evaluate((each, name) => getComputedStyle(each).getPropertyValue(name), property);
    const column = await colour("#panel-verdict thead .hue-2", "border-bottom-color");
    expect(await colour("#panel-verdict .why code.actor:text-is('report')", "border-bottom-color")).toBe(column);
    expect(await colour("#panel-verdict .answers .actor:text-is('report/1')", "border-bottom-color")).toBe(column);
    await page.context().close();
  });

  test("a service is run once that is allowed, and asked again for another", async () => {
    const { page } = await open(browser, served.address);
    await choose(page, "coupon_api.py");
    await verdict(page, "not run yet");
    await page.click("#run");
    await verdict(page, "not serializable");
    expect(await page.textContent("#permission")).toContain("executed each time it changes");
    await choose(page, "visit_counter.py");
    await verdict(page, "not run yet");
    await page.context().close();
  });

  test("transactions and programs in C have proved fixes", async () => {
    const { page } = await open(browser, served.address);
    for (const [name, fix, expected] of [
      ["account_race.c", "Put a mutex around lines 8 to 11", "safe for any number of threads"],
      ["on_call.sql", "Run the transactions at SERIALIZABLE", "serializable for any number"],
    ] as const) {
      await choose(page, name);
      await page.waitForSelector("#verdict:not(.busy) .badge");
      await page.click("#tab-fixes");
      await page.click(`.fix:has-text('${fix}') button:has-text('Apply')`, { timeout: 60_000 });
      await verdict(page, expected);
    }
    await page.context().close();
  });

  test("a protocol is decided, and a run ends in sight", async () => {
    const { page } = await open(browser, served.address);
    await choose(page, "broken_pair.actions");
    await verdict(page, "broken");
    const frame = await page.locator("#panel-verdict .frame").evaluate((each) => [each.scrollHeight, each.clientHeight]);
    expect(frame[0]).toBe(frame[1]);
    await page.context().close();
  });

  test("three requests have their columns whole at 1280 px, and nothing breaks inside a word", async () => {
    const { page } = await open(browser, served.address);
    await choose(page, "read_only_anomaly.ser");
    await verdict(page, "not serializable");
    const frame = await page.locator("#panel-verdict .frame").evaluate((each) => [each.scrollWidth, each.clientWidth]);
    expect(frame[0]).toBe(frame[1]);
    expect(await page.textContent("#panel-verdict .now")).toContain("CHECKING = 0");
    await page.context().close();
  });

  test("colours are switched by hand, and stay; pictures are saved as SVG and PNG", async () => {
    const { page } = await open(browser, served.address);
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click("#theme");
    await page.click("#theme");
    expect(await paper()).not.toBe(light);
    await page.reload();
    await ready(page);
    expect(await paper()).not.toBe(light);
    await type(page, FLIP);
    await verdict(page, "not serializable");
    await page.click("#tab-pictures");
    for (const [words, magic] of [["Save as SVG", "<svg"], ["Save as PNG", "PNG"]] as const) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[title='${words}'] >> nth=0`)]);
      expect(readFileSync(await download.path(), "latin1").slice(0, 8)).toContain(magic);
    }
    await page.context().close();
  });
});

describe("the site without a server", () => {
  test("works without a network after one visit", async () => {
    const served = await servePlayground();
    const { page, troubles } = await open(browser, served.address);
    await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === "activated");
    served.stop();
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    await type(page, FLIP);
    await verdict(page, "not serializable");
    expect(troubles.filter((each) => each.startsWith("request to"))).toEqual([]);
    await page.context().close();
  });
});

describe("everybody can use it", () => {
  let served: Served;

  beforeAll(async () => {
    served = await servePlay();
  });
  afterAll(() => served.stop());

  test.each([
    [1920, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const)("axe finds nothing at %i px, %s; nothing is wider than the screen", async (width, scheme) => {
    const { page } = await open(browser, served.address, width, scheme);
    for (const id of ["verdict", "explore", "fixes", "pictures", "proof"]) {
      await page.click(`#tab-${id}`);
      await page.waitForSelector({ verdict: ".run", explore: ".move", fixes: ".fix", pictures: "#panel-pictures .status, #panel-pictures svg", proof: "dl" }[id]!);
      await page.evaluate(AXE); // Not as a script of the page: its policy allows none.
      const found = await page.evaluate(async () => {
        const { violations } = await (window as never as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe.run();
        return violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
      });
      expect(found, id).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), id).toBeLessThanOrEqual(width);
    }
    await page.context().close();
  });
});
