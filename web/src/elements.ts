// Elements in one line: `make("p", { class: "hint" }, "text")`. Texts are texts: nothing is parsed.

type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

export function find<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T {
  const found = root.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** HTML that Python made: everything in it that comes from a program is escaped there, and scripts never run. */
export function fromPython(html: string, attributes: Attributes = {}): HTMLDivElement {
  const box = make("div", attributes);
  box.innerHTML = html;
  return box;
}

/** Text in which what stands between backticks is code. */
export function prose(text: string): (Node | string)[] {
  return text.split(/`([^`\n]+)`/).map((piece, number) => (number % 2 ? make("code", {}, piece) : piece));
}

export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
