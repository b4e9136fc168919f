// Bundles the extension into build/, with the grammars; that of `.ser` is the one of page and site.
import { copyFile, mkdir } from "node:fs/promises";
import { build } from "esbuild";

await mkdir("build", { recursive: true });
for (const name of ["ser", "conc", "actions"]) {
  await copyFile(`../grammar/${name}.tmLanguage.json`, `build/${name}.tmLanguage.json`);
}
await copyFile("../../web/public/icon.svg", "build/icon.svg");
await build({
  entryPoints: ["src/extension.ts"],
  outfile: "build/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node18",
  external: ["vscode"],
  minify: true,
});
