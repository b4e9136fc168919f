// Pictures of the network system, the serial automaton and the net, that zoom and can be searched.
import type { Picture } from "./backend";
import { counted, fromPython, make, prose } from "./elements";
import { pixels, saveAs } from "./files";

const SHOWN = 60;
/** Larger pictures are drawn as far as this. */

export function picturesPanel(pictures: readonly Picture[]): HTMLElement[] {
  const drawn = pictures.flatMap((picture) => (picture.svg === null ? [] : [drawing(picture, picture.svg)]));
  const missing = pictures.filter((picture) => picture.svg === null);
  return missing.length ? [...drawn, tooSlow(missing)] : drawn;
}

/** The pictures that would take too long, named together. */
function tooSlow(pictures: readonly Picture[]): HTMLElement {
  const titles = pictures.map((picture, index) => (index ? picture.title.replace(/^The/, "the") : picture.title));
  const names = [titles.slice(0, -1).join(", "), titles.at(-1)].filter(Boolean).join(" and ");
  const told = `${names} ${titles.length > 1 ? "take" : "takes"} too long to draw.`;
  return make("div", { class: "status" }, make("p", {}, told));
}

function drawing(picture: Picture, svg: string): HTMLElement {
  const frame = fromPython(svg, { class: "frame picture", tabindex: 0, role: "region", "aria-label": picture.title });
  const graph = frame.querySelector("svg")!;
  const own = graph.viewBox.baseVal.width;
  let zoom = 0; // Fits the width.

  function set(wanted: number): void {
    zoom = wanted && Math.max(0.05, Math.min(8, wanted));
    graph.style.maxWidth = zoom ? "none" : "";
    graph.style.width = zoom ? `${own * zoom}px` : "";
  }

  const now = (): number => zoom || graph.getBoundingClientRect().width / own;
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      set(now() * Math.exp(-event.deltaY / 300));
    },
    { passive: false },
  );
  const found = make("output", { class: "hint", "aria-live": "polite" });
  const search = make("input", {
    type: "search",
    placeholder: "Find in the picture",
    "aria-label": `Find in: ${picture.title}`,
    oninput: () => {
      const hits = findIn(graph, search.value);
      found.textContent = search.value.trim() ? counted(hits.length, "place") : "";
      hits[0]?.scrollIntoView({ block: "nearest", inline: "center" });
    },
  });
  const tools = [
    ["−", "Smaller", () => set(now() / 1.4)],
    ["+", "Larger", () => set(now() * 1.4)],
    ["fit", "Fit the width", () => set(0)],
    ["SVG", "Save as SVG", () => saveAs(`${file}.svg`, new Blob([svg], { type: "image/svg+xml" }))],
    ["PNG", "Save as PNG", () => void pixels(svg, own, graph.viewBox.baseVal.height).then((png) => saveAs(`${file}.png`, png))],
    ["full screen", "Full screen", () => void frame.requestFullscreen()],
  ] as const;
  const file = picture.title.replace(/^The /, "").replaceAll(" ", "_").toLowerCase();
  const buttons = tools.map(([sign, words, onclick]) => make("button", { type: "button", title: words, "aria-label": words, onclick }, sign));
  const size = picture.left_out === null ? sizeOf(picture.nodes) : `a part: ${picture.left_out}; … stands for the rest`;
  return make(
    "section",
    {},
    make("div", { class: "heading" }, make("h2", {}, picture.title), make("span", { class: "hint" }, ...prose(size))),
    make("div", { class: "bar", role: "group", "aria-label": `Size of: ${picture.title}` }, ...buttons, search, found),
    frame,
  );
}

function sizeOf(nodes: number): string {
  return nodes <= SHOWN ? counted(nodes, "node") : `the first ${SHOWN} of ${counted(nodes, "node")}`;
}

/** Marks the texts that contain some words; those that do. */
export function findIn(graph: SVGElement, words: string): SVGElement[] {
  const wanted = words.trim().toLowerCase();
  const texts = [...graph.querySelectorAll<SVGElement>("text")];
  for (const text of texts) text.classList.remove("hit");
  const hits = wanted ? texts.filter((text) => (text.textContent ?? "").toLowerCase().includes(wanted)) : [];
  for (const hit of hits) hit.classList.add("hit");
  return hits;
}
