import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { playground } from "./playground.plugin.ts";

// One page, two builds: for the server of `ser play`, into the package, and as a site that needs no server.
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: mode === "playground" ? [playground(at(".."))] : [],
  server: { fs: { allow: [".."] } },
  build: {
    outDir: mode === "playground" ? at("../build/playground") : at("../src/seriatim/web/page"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    license: { fileName: "licences.md" },
    chunkSizeWarningLimit: 900,
    rolldownOptions: { checks: { pluginTimings: false } }, // How long a build takes is nothing to warn of.
  },
  worker: { format: "es" as const },
}));
