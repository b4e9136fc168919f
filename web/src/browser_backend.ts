// Python in the browser, in a worker of its own: the page needs no server, and nothing leaves the machine.
import { answered, refusal, type About, type Asking, type Backend, type Kind, type Loading, type Progress, type Questions } from "./backend";

export interface ToPython {
  readonly kind: Kind;
  readonly text: string;
}

export type FromPython =
  | { readonly loading: Loading }
  | { readonly about: About }
  | { readonly progress: Progress }
  | { readonly answer: string }
  | { readonly failure: string };

export interface PythonWorker {
  onmessage: ((event: MessageEvent<FromPython>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: ToPython): void;
  terminate(): void;
}

interface Job {
  readonly message: ToPython;
  readonly asking: Asking;
  resolve(answer: string): void;
  reject(reason: unknown): void;
  isAbandoned: boolean;
}

/** Milliseconds that Python gets to stop work that is no longer wanted, before it is restarted. */
export const GRACE = 400;

export function browserBackend(start: () => PythonWorker = startWorker): Backend {
  const waiting: Job[] = [];
  let current: Job | null = null;
  let worker: PythonWorker;
  let isReady = false;
  let tellAbout!: (about: About) => void;
  let refuseAbout!: (reason: unknown) => void;
  let tellLoading: (loading: Loading) => void = () => {};
  const about = new Promise<About>((resolve, reject) => ([tellAbout, refuseAbout] = [resolve, reject]));

  function restart(): void {
    isReady = false;
    worker = start();
    worker.onmessage = ({ data }) => received(data);
    worker.onerror = (event) => failed(event.message || "Python could not be started");
  }

  function received(message: FromPython): void {
    if ("loading" in message) {
      tellLoading(message.loading);
      return;
    }
    if ("about" in message) {
      isReady = true;
      tellAbout(message.about);
    } else if ("progress" in message) {
      if (!current?.isAbandoned) current?.asking.onProgress?.(message.progress);
      return;
    } else if ("answer" in message) {
      current?.resolve(message.answer);
      current = null;
    } else {
      failed(message.failure);
      return;
    }
    next();
  }

  function failed(reason: string): void {
    worker.terminate();
    refuseAbout(refusal(reason));
    current?.reject(refusal(reason, "make the program smaller, or ask on your machine: ser play"));
    current = null;
    restart();
  }

  function next(): void {
    if (!isReady || current) return;
    current = waiting.shift() ?? null;
    if (current) worker.postMessage(current.message);
  }

  function abandon(job: Job): void {
    job.reject(new DOMException("nobody wants this any more", "AbortError"));
    const place = waiting.indexOf(job);
    if (place >= 0) waiting.splice(place, 1);
    if (job !== current) return;
    job.isAbandoned = true;
    setTimeout(() => {
      if (job !== current) return;
      current = null;
      worker.terminate();
      restart();
    }, GRACE);
  }

  restart();
  return {
    name: "browser",
    about(onLoading) {
      if (onLoading) tellLoading = onLoading;
      return about;
    },
    async ask<K extends Kind>(kind: K, request: Questions[K]["request"], asking: Asking = {}) {
      const text = await new Promise<string>((resolve, reject) => {
        const job: Job = { message: { kind, text: JSON.stringify(request) }, asking, resolve, reject, isAbandoned: false };
        if (asking.signal?.aborted) return abandon(job);
        asking.signal?.addEventListener("abort", () => abandon(job), { once: true });
        waiting.push(job);
        next();
      });
      return answered<K>(JSON.parse(text) as never);
    },
  };
}

function startWorker(): PythonWorker {
  return new Worker(new URL("./python_worker.ts", import.meta.url), { type: "module" }) as PythonWorker;
}
