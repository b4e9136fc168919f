// The server of `ser play`: questions by POST, answers as server-sent events.
import { answered, refusal, type About, type Asking, type Backend, type Kind, type Questions } from "./backend";

export function serverBackend(base = "api/"): Backend {
  return {
    name: "server",
    async about() {
      return (await (await fetch(`${base}about`)).json()) as About;
    },
    async ask<K extends Kind>(kind: K, request: Questions[K]["request"], asking: Asking = {}) {
      let response: Response;
      try {
        response = await fetch(base + kind, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
          body: JSON.stringify(request),
          signal: asking.signal ?? null,
        });
      } catch (error) {
        if (asking.signal?.aborted) throw error;
        throw refusal("the server does not answer", "start it again: ser play");
      }
      if (!response.ok || !response.body) return answered<K>((await response.json()) as never);
      for await (const event of events(response.body)) {
        if (event.kind === "answer") return answered<K>(JSON.parse(event.data) as never);
        if (event.kind === "progress") asking.onProgress?.(JSON.parse(event.data));
      }
      throw refusal("the server has ended before its answer", "start it again: ser play");
    },
  };
}

export interface ServerEvent {
  readonly kind: string;
  readonly data: string;
}

/** The events of a stream, each as it is complete. */
export async function* events(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const parts = rest.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) yield parsed(part);
      if (done) return;
    }
  } finally {
    reader.releaseLock();
  }
}

function parsed(part: string): ServerEvent {
  let kind = "message";
  const data: string[] = [];
  for (const line of part.split("\n")) {
    if (line.startsWith("event: ")) kind = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return { kind, data: data.join("\n") };
}
