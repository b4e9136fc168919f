// @vitest-environment node
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Refusal } from "../src/backend";
import { serverBackend } from "../src/server_backend";

let server: Server | undefined;

afterEach(() => server?.close());

/** A server that sends pieces of an answer, one after the other; it says when somebody hangs up. */
async function answering(status: number, pieces: readonly string[], isOpen = false): Promise<{ base: string; hungUp: Promise<void> }> {
  let hangUp!: () => void;
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "text/event-stream" });
    for (const piece of pieces) response.write(piece);
    if (!isOpen) response.end();
    response.on("close", () => hangUp());
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, hungUp };
}

const SOURCE = { name: "a.ser", text: "" };

test("progress is told, and the answer is the last event, wherever the stream is cut", async () => {
  const { base } = await answering(200, ['event: progress\ndata: {"stage": "se', 'arch"}\n', '\nevent: answer\ndata: {"te', 'xt": "é"}\n\n']);
  const told: string[] = [];
  const answer = await serverBackend(base).ask("format", SOURCE, { onProgress: (each) => told.push(each.stage) });
  expect([told, answer]).toEqual([["search"], { text: "é" }]);
});

test("a refusal carries its diagnostics", async () => {
  const { base } = await answering(422, ['{"error": [{"code": "SER404", "message": "no"}]}']);
  await expect(serverBackend(base).ask("format", SOURCE)).rejects.toThrow(Refusal);
});

test("a server that ends early or is not there is told", async () => {
  const { base } = await answering(200, ["event: progress\ndata: {}\n\n"]);
  await expect(serverBackend(base).ask("format", SOURCE)).rejects.toThrow("has ended before its answer");
  await expect(serverBackend("http://127.0.0.1:1/").ask("format", SOURCE)).rejects.toThrow("does not answer");
});

test("to abort hangs up", async () => {
  const { base, hungUp } = await answering(200, ["event: progress\ndata: {}\n\n"], true);
  const asking = new AbortController();
  const answer = serverBackend(base).ask("format", SOURCE, { signal: asking.signal, onProgress: () => asking.abort() });
  await expect(answer).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  await hungUp;
});
