// The examples as a gallery: topics, a sentence for each, and a search over all of them.
import { counted, make, prose } from "./elements";
import type { Example } from "./examples";

export interface Gallery {
  open(): void;
}

/** `mayReplace` says whether nothing would be lost. Otherwise a choice has to be confirmed. */
export function gallery(
  dialog: HTMLDialogElement,
  examples: readonly Example[],
  mayReplace: () => boolean,
  choose: (example: Example) => void,
): Gallery {
  const search = make("input", { type: "search", placeholder: "Search, such as lock or seats", "aria-label": "Search the examples", oninput: show });
  const found = make("output", { class: "hint", "aria-live": "polite" });
  const list = make("div", { class: "cards" });
  const close = make("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(make("div", { class: "bar" }, make("h2", { class: "plain" }, "Examples"), search, found, close), list);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // Beside the gallery.
  });

  function show(): void {
    const hits = findExamples(examples, search.value);
    found.textContent = counted(hits.length, "example");
    const topics = [...new Set(hits.map((each) => each.topic))];
    list.replaceChildren(
      ...topics.flatMap((topic) => [
        make("h3", {}, topic),
        make("ul", {}, ...hits.filter((each) => each.topic === topic).map((each) => make("li", {}, card(each)))),
      ]),
    );
  }

  function card(example: Example): HTMLElement {
    return make(
      "button",
      { type: "button", class: "card", onclick: () => (mayReplace() ? take(example) : ask(example)) },
      make("strong", {}, example.title),
      " ",
      make("code", { class: "hint" }, example.name),
      make("span", {}, ...prose(example.sentence)),
    );
  }

  function take(example: Example): void {
    dialog.close();
    choose(example);
  }

  function ask(example: Example): void {
    const replace = make("button", { type: "button", class: "primary", onclick: () => take(example) }, `Open ${example.name}`);
    const leave = make("button", { type: "button", onclick: show }, "Stay here");
    list.replaceChildren(
      make("div", { class: "status open", role: "alert" }, make("p", {}, "You have changed the program in the editor, and the example would take its place. Back, in your browser, brings it back.")),
      make("div", { class: "bar" }, replace, leave),
    );
    replace.focus();
  }

  return {
    open() {
      search.value = "";
      show();
      dialog.showModal();
      search.focus();
    },
  };
}

export function findExamples(examples: readonly Example[], words: string): readonly Example[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = (each: Example): string => `${each.title} ${each.name} ${each.topic} ${each.sentence}`.toLowerCase();
  return examples.filter((each) => wanted.every((word) => textOf(each).includes(word)));
}
