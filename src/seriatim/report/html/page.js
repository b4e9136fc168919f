// Stepping through runs, by buttons, by keys and by clicks; and pictures that can be magnified.
"use strict";
const stories = [...document.querySelectorAll(".story")].map((story) => {
  const frame = story.querySelector(".timeline > .frame");
  const bar = story.querySelector(".timeline > .bar");
  const told = bar.querySelector("output");
  const rows = [...story.querySelectorAll("table.run tbody tr:not(.repeat)")];
  const lines = new Map([...story.querySelectorAll(".source li")].map((li) => [li.dataset.line, li]));
  const hues = [...Array(6).keys()].map((number) => `hue-${number}`);
  let at = 0;

  function mark(row) {
    for (const li of lines.values()) li.classList.remove("marked", ...hues);
    const turn = row.querySelector(".turn");
    const hue = turn && [...turn.classList].find((name) => name.startsWith("hue-"));
    const marked = (row.dataset.lines || "").split(" ").map((line) => lines.get(line)).filter(Boolean);
    if (hue) for (const li of marked) li.classList.add("marked", hue);
    return marked;
  }

  function keepInside(box, item, above) {
    // Scrolls a box alone: the page stays where it is.
    const room = box.getBoundingClientRect(), place = item.getBoundingClientRect();
    if (place.top < room.top + above) box.scrollTop -= room.top + above - place.top;
    else if (place.bottom > room.bottom) box.scrollTop += place.bottom - room.bottom;
  }

  function go(step, moves) {
    at = Math.max(0, Math.min(rows.length - 1, step));
    rows.forEach((row, index) => {
      row.classList.toggle("current", index === at);
      if (index === at) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    const marked = mark(rows[at]);
    told.textContent = `Step ${at} of ${rows.length - 1}: ${rows[at].dataset.told}`;
    for (const button of bar.querySelectorAll("button")) {
      const ends = ["first", "back"].includes(button.dataset.go) ? at === 0 : at === rows.length - 1;
      button.setAttribute("aria-disabled", String(ends));
    }
    if (!moves) return;
    keepInside(frame, rows[at], story.querySelector("thead").offsetHeight);
    if (marked.length) keepInside(story.querySelector(".code .frame"), marked[0], 0);
    const place = rows[at].getBoundingClientRect();
    if (place.top < 0 || place.bottom > innerHeight) rows[at].scrollIntoView({ block: "center" });
  }

  const steps = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => rows.length - 1 };
  bar.hidden = false;
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) go(steps[button.dataset.go](), true);
  });
  rows.forEach((row, index) => row.addEventListener("click", () => go(index, true)));
  go(0, false);
  return { story, frame, go: (where) => go(steps[where](), true) };
});

const KEYS = { ArrowLeft: "back", ArrowRight: "next" };
const KEYS_IN_FRAME = { ...KEYS, ArrowUp: "back", ArrowDown: "next", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
  const inside = stories.find((each) => each.frame === event.target);
  if (!inside && event.target.closest(".frame, input, select, textarea")) return; // Keys scroll that.
  const where = (inside ? KEYS_IN_FRAME : KEYS)[event.key];
  const seen = inside || nearest(event.target);
  if (!where || !seen) return;
  event.preventDefault();
  seen.go(where);
});

function nearest(target) {
  // The run around what has the focus, or else the one of which most can be seen.
  const around = stories.find((each) => each.story.contains(target));
  if (around) return around;
  const shown = (each) => {
    const { top, bottom } = each.story.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0);
  };
  return stories.reduce((best, each) => (best && shown(best) >= shown(each) ? best : each), null);
}

for (const details of document.querySelectorAll("details")) {
  const graph = details.querySelector(".graph"), bar = details.querySelector(".bar");
  if (!graph || !bar) continue;
  let zoom = 0; // Fits the width.
  bar.hidden = false;
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const own = graph.viewBox.baseVal.width;
    const now = zoom || graph.getBoundingClientRect().width / own;
    zoom = { in: Math.min(8, now * 1.4), out: Math.max(0.05, now / 1.4), fit: 0 }[button.dataset.zoom];
    graph.style.maxWidth = zoom ? "none" : "";
    graph.style.width = zoom ? `${own * zoom}px` : "";
  });
}
