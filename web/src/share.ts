// A program in the fragment of an address: browsers send it to no server.
import type { Source } from "./backend";

const KEY = "s=";

export async function toFragment(source: Source): Promise<string> {
  const packed = await through(
    new TextEncoder().encode(`${source.name}\n${source.text}`),
    new CompressionStream("deflate-raw"),
  );
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return KEY + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The program of a fragment; null if there is none, or a damaged one. */
export async function fromFragment(fragment: string): Promise<Source | null> {
  const found = /(?:^|[#&])s=([-\w]+)/.exec(fragment)?.[1];
  if (!found) return null;
  try {
    const letters = atob(found.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(
      await through(packed, new DecompressionStream("deflate-raw")),
    );
    const end = text.indexOf("\n");
    return end < 1 ? null : { name: text.slice(0, end), text: text.slice(end + 1) };
  } catch {
    return null;
  }
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const body = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BlobPart>);
  return new Uint8Array(await new Response(body).arrayBuffer());
}
