// A program and its question in the fragment of an address: browsers send it to no server.
import type { Source } from "./backend";

/** Parts of the question, by the names that the address gives them: property, observe, isolation, seconds… */
export type Given = Readonly<Record<string, string>>;

export interface Work extends Source {
  readonly given: Given;
}

export async function toFragment(source: Source, given: Given = {}): Promise<string> {
  const packed = await through(
    new TextEncoder().encode(`${source.name}\n${source.text}`),
    new CompressionStream("deflate-raw"),
  );
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  const program = `s=${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  const question = new URLSearchParams(given).toString();
  return question ? `${program}&${question}` : program;
}

/** The work of a fragment; null if it is not a link to a program, "damaged" if it is one that cannot be read. */
export async function fromFragment(fragment: string): Promise<Work | "damaged" | null> {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  const packed = members.get("s");
  if (packed === null) return null;
  members.delete("s");
  try {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(
      await through(bytes, new DecompressionStream("deflate-raw")),
    );
    const end = text.indexOf("\n");
    return end < 1 ? "damaged" : { name: text.slice(0, end), text: text.slice(end + 1), given: Object.fromEntries(members) };
  } catch {
    return "damaged";
  }
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const body = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BlobPart>);
  return new Uint8Array(await new Response(body).arrayBuffer());
}
