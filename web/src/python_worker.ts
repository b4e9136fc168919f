// The worker in which Python runs: it loads Pyodide and the package from beside the page, and then answers.
import type { PyodideInterface } from "pyodide";
import type { FromPython, ToPython } from "./browser_backend";

const SECONDS = 60;
/** The longest that anybody may ask for. */

const SITE = new URL("../", self.location.href);

function tell(message: FromPython): void {
  self.postMessage(message);
}

/** Counts what comes over the network, of what will come in all (`playground.plugin.ts`). */
async function count(): Promise<void> {
  const fetched = self.fetch.bind(self);
  const { bytes } = (await (await fetched(new URL("loading.json", SITE))).json()) as { bytes: number };
  const megabytes = (number: number): string => (number / 1e6).toFixed(1);
  let had = 0;
  let last = 0;
  self.fetch = async (...request) => {
    const found = await fetched(...request);
    if (!found.body) return found;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, control) {
        had += piece.length;
        const now = performance.now();
        if (now - last > 50 || had >= bytes) {
          last = now;
          const share = Math.min(1, had / bytes);
          tell({ loading: share < 1 ? { what: `Loading Python, once: ${megabytes(had)} of ${megabytes(bytes)} MB`, share } : STARTING });
        }
        control.enqueue(piece);
      },
    });
    return new Response(found.body.pipeThrough(counting), { status: found.status, statusText: found.statusText, headers: found.headers });
  };
}

const STARTING = { what: "Starting Python…", share: null };

async function start(): Promise<PyodideInterface> {
  await count();
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
  const answers = python.pyimport("seriatim.web.answers");
  tell({ about: JSON.parse(answers.about_text(SECONDS)) });
  let last = 0;
  const observe = (progress: string): void => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    tell({ progress: JSON.parse(progress) });
  };
  self.onmessage = ({ data }: MessageEvent<ToPython>) => {
    try {
      tell({ answer: answers.answer_text(data.kind, data.text, SECONDS, observe) });
    } catch (error) {
      const text = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
      tell({ failure: `Python gave up: ${text}` });
    }
  };
}

serve().catch((error: unknown) => tell({ failure: `Python could not be started: ${String(error)}` }));
