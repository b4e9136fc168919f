// The line between editor and answers: dragged, or moved with the arrow keys; a double click puts it back.
const KEPT = "seriatim-split";
const USUAL = 45;
const [LEAST, MOST] = [20, 80];

export function splitter(line: HTMLElement, room: HTMLElement): void {
  let share = USUAL;

  function set(wanted: number): void {
    share = Math.round(Math.max(LEAST, Math.min(MOST, wanted)));
    room.style.setProperty("--split", `${share}%`);
    line.setAttribute("aria-valuenow", String(share));
    try {
      localStorage.setItem(KEPT, String(share));
    } catch {
      // Then it lasts until the page is closed.
    }
  }

  line.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    line.focus();
    line.setPointerCapture(event.pointerId);
    line.onpointermove = (moved) => {
      const box = room.getBoundingClientRect();
      set(((moved.clientX - box.left) / box.width) * 100);
    };
  });
  line.addEventListener("pointerup", () => (line.onpointermove = null));
  line.addEventListener("pointercancel", () => (line.onpointermove = null));
  line.addEventListener("dblclick", () => set(USUAL));
  line.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(share + step);
  });
  set(kept());
}

function kept(): number {
  try {
    return Number(localStorage.getItem(KEPT)) || USUAL;
  } catch {
    return USUAL;
  }
}
