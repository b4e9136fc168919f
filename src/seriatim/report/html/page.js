// Stepping through runs: the row under the pointer or the focus marks its lines in the source.
"use strict";
for (const article of document.querySelectorAll("article")) {
  const rows = [...article.querySelectorAll("table.run tbody tr")];
  const lines = new Map([...article.querySelectorAll(".source li")].map((li) => [li.dataset.line, li]));

  function mark(row) {
    for (const other of rows) other.classList.toggle("current", other === row);
    for (const li of lines.values()) li.className = li.classList.contains("blamed") ? "blamed" : "";
    if (!row) return;
    const turn = row.querySelector(".turn");
    const hue = turn ? [...turn.classList].find((name) => name.startsWith("hue-")) : null;
    for (const line of (row.dataset.lines || "").split(" ")) {
      const li = lines.get(line);
      if (li && hue) li.classList.add("marked", hue);
    }
  }

  function select(row) {
    for (const other of rows) other.tabIndex = other === row ? 0 : -1;
    row.focus();
    mark(row); // A window in the background hears of no focus.
  }

  rows.forEach((row, index) => {
    row.tabIndex = index === 0 ? 0 : -1;
    row.addEventListener("focus", () => mark(row));
    row.addEventListener("blur", () => mark(null));
    row.addEventListener("mouseenter", () => mark(row));
    row.addEventListener("mouseleave", () => mark(rows.includes(document.activeElement) ? document.activeElement : null));
    row.addEventListener("click", () => select(row));
    row.addEventListener("keydown", (event) => {
      const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -rows.length, End: rows.length };
      if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      select(rows[Math.max(0, Math.min(rows.length - 1, index + steps[event.key]))]);
    });
  });
}
