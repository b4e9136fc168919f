// Explore: the user picks who moves next, and sees the state, and which serial orders still explain the answers.
import { isAbort, type Backend, type CheckAnswer, type Choice, type Exploration, Refusal, type Settings, type Source } from "./backend";
import { make, counted } from "./elements";
import { NO_MARKS, type LineMarks } from "./editor";
import { timeline } from "./timeline";
import { diagnosticBox } from "./verdict";

export interface Explorer {
  /** Starts again when the panel is opened or the program has changed. */
  restart(): Promise<void>;
  /** Follows the run of a counterexample. */
  follow(answer: CheckAnswer): Promise<void>;
}

export function explorer(
  panel: HTMLElement,
  backend: Backend,
  input: () => Source & { settings: Settings },
  mark: (marks: LineMarks, reveal: boolean) => void,
): Explorer {
  let moves: number[] = [];
  let asking = new AbortController();

  async function at(wanted: readonly number[]): Promise<Exploration> {
    return backend.ask("explore", { ...input(), moves: wanted }, { signal: asking.signal });
  }

  async function show(wanted: readonly number[], focus = ""): Promise<void> {
    asking.abort();
    asking = new AbortController();
    for (const each of panel.querySelectorAll(".move")) each.setAttribute("aria-disabled", "true"); // They continue an old run.
    try {
      const found = await at(wanted);
      moves = wanted.slice(0, found.moves);
      render(found, focus);
    } catch (error) {
      if (isAbort(error)) return;
      const told = error instanceof Refusal ? error.diagnostics.map((each) => diagnosticBox(each)) : [String(error)];
      panel.replaceChildren(...told);
      mark(NO_MARKS, false);
    }
  }

  function render(found: Exploration, focus: string): void {
    const undo = make("button", { type: "button", id: "undo", onclick: () => void show(moves.slice(0, -1), "#undo") }, "Undo");
    const again = make("button", { type: "button", id: "again", onclick: () => void show([], "#again") }, "Start again");
    if (!moves.length) for (const button of [undo, again]) button.setAttribute("aria-disabled", "true");
    panel.replaceChildren(
      make("p", { class: "lead" }, "Pick who moves next. A move goes on to the next ", make("code", {}, "yield"), ", or to the answer."),
      make("div", { class: "bar" }, undo, again, make("span", { class: "hint" }, `${counted(moves.length, "move")}; ${found.state || "no shared state"}`)),
      status(found),
      make("div", { class: "explore" }, choices(found), explaining(found)),
      ...(moves.length ? [make("h2", {}, "Your run"), timeline(found.run, mark, "last").element] : []),
    );
    if (!moves.length) mark(NO_MARKS, false);
    if (focus) panel.querySelector<HTMLElement>(focus)?.focus();
  }

  function choices(found: Exploration): HTMLElement {
    const items = found.choices.map((choice, index) =>
      make("li", {}, button(choice, () => void show([...moves, index], `.move[data-who="${choice.request}"], .move`))),
    );
    const waiting = found.waiting.map((each) => make("li", { class: "waiting" }, waitingText(each)));
    return make(
      "section",
      {},
      make("h2", {}, "Who moves next?"),
      items.length || waiting.length
        ? make("ul", { class: "moves" }, ...items, ...waiting)
        : make("p", { class: "hint" }, "Nobody can move."),
    );
  }

  return {
    restart: () => show([]),
    async follow(answer) {
      asking.abort();
      asking = new AbortController();
      const chosen: number[] = [];
      try {
        for (const turn of answer.trace ?? answer.suspicion?.trace ?? []) {
          const { choices: possible } = await at(chosen);
          const index = possible.findIndex((each) => matches(each, turn));
          if (index < 0) break;
          chosen.push(index);
        }
      } catch (error) {
        if (isAbort(error)) return;
      }
      await show(chosen.slice(0, -1));
    },
  };
}

function matches(choice: Choice, turn: NonNullable<CheckAnswer["trace"]>[number]): boolean {
  return (
    choice.request === turn.request &&
    choice.handler === turn.handler &&
    choice.response === turn.response &&
    JSON.stringify(choice.after) === JSON.stringify(turn.after)
  );
}

function button(choice: Choice, onclick: () => void): HTMLElement {
  const lines = choice.code.map(([line, code]) =>
    make("span", { class: "step" }, line === null ? "" : make("span", { class: "line" }, String(line)), make("code", {}, code)),
  );
  const ends = choice.response === null ? "pauses" : `answers ${choice.response}`;
  const effects = [...choice.changes, ends].join(", ");
  return make(
    "button",
    {
      type: "button",
      class: `move hue-${(choice.request - 1) % 6}`,
      "data-who": choice.request,
      onclick: (event: Event) => {
        if ((event.currentTarget as Element).ariaDisabled !== "true") onclick();
      },
    },
    make("span", { class: "who" }, choice.new ? `new request ${choice.request}: ` : `request ${choice.request}: `, make("code", {}, choice.handler)),
    ...lines,
    make("span", { class: choice.response === null ? "effect" : "effect answer" }, effects),
  );
}

function waitingText(waiting: Exploration["waiting"][number]): string {
  const who = waiting.request === null ? `a new ${waiting.handler}` : `request ${waiting.request}, ${waiting.handler},`;
  if (waiting.fault) return `The next step of ${who.replace(/,$/, "")} fails: ${waiting.fault}`;
  return waiting.request === null ? `${capital(who)} would have to wait now.` : `${capital(who)} waits.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function status(found: Exploration): HTMLElement {
  const since = found.unexplained_since ?? 0;
  const [kind, headline, text] = ((): [string, string, string] => {
    switch (found.explicability) {
      case "explained":
        return found.complete
          ? ["good", "Explained", "Some one-at-a-time order of these requests gives these answers."]
          : ["good", "Still explained", "Some one-at-a-time order gives the answers so far; requests in flight may count as done, or as not begun."];
      case "never":
        return ["bad", `Inexplicable since move ${since}`, ended(found, "However it goes on and whatever requests come, no one-at-a-time order gives these answers.")];
      case "by_others":
        return ["bad", `Inexplicable since move ${since}`, ended(found, "No one-at-a-time order of these requests gives these answers; only requests that have not begun could still explain them.")];
      case "unexplained":
        return ["bad", `Inexplicable since move ${since}`, ended(found, "No one-at-a-time order of these requests gives these answers.")];
      case "unknown":
        return ["open", "Not known", "There are too many orders to look at."];
    }
  })();
  return make("div", { class: `status ${kind}`, role: "status" }, make("strong", {}, headline), make("p", {}, text));
}

function ended(found: Exploration, otherwise: string): string {
  return found.complete ? "No one-at-a-time order of these requests gives these answers: this run is a counterexample." : otherwise;
}

function explaining(found: Exploration): HTMLElement {
  const items = found.explaining.map((each) => {
    const order = each.order.map(([handler, response]) => `${handler}/${response}`).join(", then ") || "nobody yet";
    return make("li", {}, make("code", {}, each.state || "no shared state"), make("span", { class: "hint" }, ` by ${order}${each.current ? " (the run is there, too)" : ""}`));
  });
  if (found.more_explaining) items.push(make("li", { class: "hint" }, `and ${found.more_explaining} more`));
  return make(
    "section",
    {},
    make("h2", {}, "Serial states that explain it"),
    items.length ? make("ul", { class: "serial" }, ...items) : make("p", { class: "hint" }, found.explicability === "unknown" ? "Not known." : "None."),
  );
}
