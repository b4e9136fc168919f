import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "vite";

// What the site without a server needs beside the page: Pyodide, the package as `python.zip`, a manifest, and a
// worker that keeps all of it for times without a network.

const PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "package.json", "README.md"];
// The last two name the licence, MPL-2.0.

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const MANIFEST = {
  name: "Seriatim",
  short_name: "Seriatim",
  description: "Type request handlers and get a proof for any number of requests, or the smallest counterexample.",
  start_url: "./",
  display: "standalone",
  background_color: "#fdfdfc",
  theme_color: "#1d3a5f",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml" }],
};

export function playground(root: string): Plugin {
  const out = join(root, "build", "playground");
  return {
    name: "playground",
    apply: "build",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" },
      { tag: "link", attrs: { rel: "manifest", href: "./manifest.webmanifest" }, injectTo: "head" },
    ],
    closeBundle() {
      const modules = join(root, "web", "node_modules", "pyodide");
      mkdirSync(join(out, "pyodide"), { recursive: true });
      for (const name of PYODIDE) cpSync(join(modules, name), join(out, "pyodide", name));
      const { info } = JSON.parse(readFileSync(join(modules, "pyodide-lock.json"), "utf-8"));
      writeFileSync(join(out, "pyodide", "pyodide-lock.json"), JSON.stringify({ info, packages: {} }));
      cpSync(join(root, "build", "python.zip"), join(out, "python.zip"));
      writeFileSync(join(out, "manifest.webmanifest"), JSON.stringify(MANIFEST, null, 1));
      const fetched = ["pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "python.zip"].map((name) => statSync(join(out, name)).size);
      writeFileSync(join(out, "loading.json"), JSON.stringify({ bytes: fetched.reduce((sum, size) => sum + size, 0) }));
      const files = listed(out).map((path) => relative(out, path).split(sep).join("/"));
      const digest = createHash("sha256");
      for (const name of files) digest.update(name).update(readFileSync(join(out, name)));
      const keeper = readFileSync(join(root, "web", "keeper.js"), "utf-8");
      const version = digest.digest("hex").slice(0, 16);
      writeFileSync(join(out, "keeper.js"), keeper.replace("__VERSION__", version).replace("__FILES__", JSON.stringify(["./", ...files])));
    },
  };
}

function listed(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? listed(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}
