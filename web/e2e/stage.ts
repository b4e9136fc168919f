// A browser, and both ways to serve the page: `ser play`, and the site that needs no server.
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const SER = join(ROOT, ".venv", "bin", "ser");
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

export interface Served {
  readonly address: string;
  stop(): void;
}

export async function servePlay(): Promise<Served> {
  const process_: ChildProcess = spawn(SER, ["play", "--no-browser", "--port", "0", "--jobs", "2"], { cwd: ROOT });
  const address = await new Promise<string>((resolve, reject) => {
    process_.stdout!.on("data", (data: Buffer) => {
      const found = /http:\/\/\S+/.exec(data.toString());
      if (found) resolve(found[0]);
    });
    process_.on("exit", (code) => reject(new Error(`ser play ended with ${code}`)));
    process_.stderr!.on("data", (data: Buffer) => reject(new Error(data.toString())));
  });
  return { address, stop: () => process_.kill("SIGTERM") };
}

export async function servePlayground(): Promise<Served> {
  const folder = join(ROOT, "build", "playground");
  if (!existsSync(join(folder, "index.html"))) throw new Error("build it first: make playground");
  const server: Server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => (server.close(), server.closeAllConnections()) };
}

export async function browse(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS] });
}

export interface Seen {
  readonly page: Page;
  /** What must not happen: errors, and requests to other hosts. */
  readonly troubles: string[];
}

export async function open(browser: Browser, address: string, width = 1280, scheme: "light" | "dark" = "light"): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, acceptDownloads: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(address).origin });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== new URL(address).origin) troubles.push(`request to ${origin}`);
  });
  await page.goto(address);
  await ready(page);
  return { page, troubles };
}

export async function ready(page: Page): Promise<void> {
  await page.waitForSelector("html[data-ready]", { timeout: 120_000, state: "attached" });
  await page.waitForSelector("#headline .badge");
}

/** Types a program as a person would, over what is there. */
export async function type(page: Page, text: string): Promise<void> {
  await page.click("#editor .cm-content");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

export async function verdict(page: Page, words: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const told = [...document.querySelectorAll("#headline > *")].map((each) => each.textContent).join(" ");
      return told.includes(wanted) && !document.querySelector("#verdict.busy");
    },
    words,
    { timeout: 90_000 },
  );
}
