import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { About, Asking } from "../src/backend";
import { browserBackend, GRACE, type FromPython, type PythonWorker, type ToPython } from "../src/browser_backend";

const ABOUT = { version: "1" } as About;
const SOURCE = { name: "a.ser", text: "" };

class FakeWorker implements PythonWorker {
  onmessage: PythonWorker["onmessage"] = null;
  onerror: PythonWorker["onerror"] = null;
  readonly asked: ToPython[] = [];
  isTerminated = false;

  postMessage(message: ToPython): void {
    this.asked.push(message);
  }
  terminate(): void {
    this.isTerminated = true;
  }
  say(message: FromPython): void {
    this.onmessage?.({ data: message } as MessageEvent<FromPython>);
  }
}

let workers: FakeWorker[];

function backend() {
  return browserBackend(() => {
    workers.push(new FakeWorker());
    return workers.at(-1)!;
  });
}

beforeEach(() => {
  workers = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function format(asked: ReturnType<typeof backend>, asking: Asking = {}): Promise<string> {
  return asked.ask("format", SOURCE, asking).then(({ text }) => text);
}

test("questions wait until Python has started, and are answered one at a time, in order", async () => {
  const asked = backend();
  const [first, second] = [format(asked), format(asked)];
  const [worker] = workers;
  expect(worker!.asked).toEqual([]);
  worker!.say({ about: ABOUT });
  expect(await asked.about()).toEqual(ABOUT);
  expect(worker!.asked.length).toBe(1);
  worker!.say({ answer: '{"text": "1"}' });
  worker!.say({ answer: '{"text": "2"}' });
  expect([await first, await second]).toEqual(["1", "2"]);
});

test("progress goes to whoever asked", async () => {
  const asked = backend();
  const told: string[] = [];
  const found = format(asked, { onProgress: (progress) => told.push(progress.stage) });
  workers[0]!.say({ about: ABOUT });
  workers[0]!.say({ progress: { stage: "search", states: 1, clean_up_to: 0, questions: 0 } });
  workers[0]!.say({ answer: '{"text": ""}' });
  await found;
  expect(told).toEqual(["search"]);
});

test("work that nobody wants is ended by starting Python anew; those who wait are answered then", async () => {
  const asked = backend();
  workers[0]!.say({ about: ABOUT });
  const asking = new AbortController();
  const unwanted = format(asked, { signal: asking.signal });
  const wanted = format(asked);
  asking.abort();
  await expect(unwanted).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  expect(workers[0]!.isTerminated).toBe(false);
  vi.advanceTimersByTime(GRACE);
  expect([workers.length, workers[0]!.isTerminated]).toEqual([2, true]);
  workers[1]!.say({ about: ABOUT });
  workers[1]!.say({ answer: '{"text": "2"}' });
  expect(await wanted).toBe("2");
});

test("work that ends soon after it is not wanted any more costs no new start", async () => {
  const asked = backend();
  workers[0]!.say({ about: ABOUT });
  const asking = new AbortController();
  const unwanted = format(asked, { signal: asking.signal });
  asking.abort();
  await expect(unwanted).rejects.toThrow();
  workers[0]!.say({ answer: '{"text": "1"}' });
  vi.advanceTimersByTime(GRACE);
  expect(workers.length).toBe(1);
});

test("what Python gives up on is told, and the next question is answered", async () => {
  const asked = backend();
  workers[0]!.say({ about: ABOUT });
  const lost = format(asked);
  const next = format(asked);
  workers[0]!.say({ failure: "Python gave up: MemoryError" });
  await expect(lost).rejects.toThrow("MemoryError");
  workers[1]!.say({ about: ABOUT });
  workers[1]!.say({ answer: '{"text": "2"}' });
  expect(await next).toBe("2");
});
