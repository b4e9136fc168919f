// Tabs, as the ARIA practices have them: arrow keys move, the panel belongs to its tab.
import { make } from "./elements";

export interface Tab {
  readonly id: string;
  readonly title: string;
}

export interface Tabs {
  readonly list: HTMLElement;
  readonly panels: ReadonlyMap<string, HTMLElement>;
  current(): string;
  open(id: string): void;
  allow(id: string, allowed: boolean): void;
}

export function createTabs(label: string, tabs: readonly Tab[], onOpen: (id: string) => void): Tabs {
  const list = make("div", { role: "tablist", "aria-label": label });
  const panels = new Map<string, HTMLElement>();
  const buttons = new Map<string, HTMLButtonElement>();
  let current = tabs[0]!.id;

  for (const { id, title } of tabs) {
    const button = make("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => open(id) }, title);
    buttons.set(id, button);
    list.append(button);
    panels.set(id, make("div", { role: "tabpanel", id: `panel-${id}`, class: "panel", "aria-labelledby": `tab-${id}`, tabindex: 0 }));
  }

  function show(id: string): void {
    current = id;
    for (const [each, button] of buttons) {
      button.setAttribute("aria-selected", String(each === id));
      button.tabIndex = each === id ? 0 : -1;
      panels.get(each)!.hidden = each !== id;
    }
  }

  function open(id: string): void {
    show(id);
    onOpen(id);
  }

  list.addEventListener("keydown", (event) => {
    const usable = tabs.filter(({ id }) => !buttons.get(id)!.hidden).map(({ id }) => id);
    const at = usable.indexOf(current);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: usable.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const id = usable[(next + usable.length) % usable.length]!;
    open(id);
    buttons.get(id)!.focus();
  });
  show(current);
  return {
    list,
    panels,
    current: () => current,
    open,
    allow(id, allowed) {
      buttons.get(id)!.hidden = !allowed;
      if (!allowed && current === id) open(tabs[0]!.id);
    },
  };
}
