// The worker in which Python runs: it loads Pyodide and the package from beside the page, and then answers.
import type { PyodideInterface } from "pyodide";
import type { FromPython, ToPython } from "./browser_backend";

const SECONDS = 60;
/** The longest that anybody may ask for. */

const SITE = new URL("../", self.location.href);

function tell(message: FromPython): void {
  self.postMessage(message);
}

async function start(): Promise<PyodideInterface> {
  const index = new URL("pyodide/", SITE).href;
  const loading = import(/* @vite-ignore */ `${index}pyodide.mjs`) as Promise<typeof import("pyodide")>;
  const [{ loadPyodide }, archive] = await Promise.all([loading, fetch(new URL("python.zip", SITE)).then((found) => found.arrayBuffer())]);
  const python = await loadPyodide({ indexURL: index });
  const packages = python.runPython("import site; site.getsitepackages()[0]") as string;
  python.unpackArchive(archive, "zip", { extractDir: packages });
  return python;
}

async function serve(): Promise<void> {
  const python = await start();
  python.runPython("import importlib; importlib.invalidate_caches()");
  const desk = python.pyimport("seriatim.web.desk");
  tell({ about: JSON.parse(desk.about_text(SECONDS)) });
  let last = 0;
  const observe = (progress: string): void => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    tell({ progress: JSON.parse(progress) });
  };
  self.onmessage = ({ data }: MessageEvent<ToPython>) => {
    try {
      tell({ answer: desk.answer_text(data.kind, data.text, SECONDS, observe) });
    } catch (error) {
      const text = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
      tell({ failure: `Python gave up: ${text}` });
    }
  };
}

serve().catch((error: unknown) => tell({ failure: `Python could not be started: ${String(error)}` }));
