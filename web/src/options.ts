// What is asked, and how far to look: the property with its parameters, settings of the source, limits.
import type { About, CheckOptions, Property, Settings } from "./backend";
import { make } from "./elements";
import { suffixOf } from "./languages";

export interface OptionsForm {
  readonly element: HTMLElement;
  /** Shows what fits a kind of source. */
  fit(name: string): void;
  options(): CheckOptions & { settings: Settings };
}

const LABELS: Readonly<Record<string, string>> = {
  serializable: "serializable",
  "conflict-serializable": "conflict-serializable",
  strict: "strictly serializable",
  linearizable: "linearizable",
  "static-linearizable": "linearizable at fixed points",
  safe: "safe: no step fails",
  "deadlock-free": "free of deadlocks",
};

export function optionsForm(about: About, onChange: () => void): OptionsForm {
  const property = make("select", { id: "property", onchange: changed });
  property.append(make("option", { value: "" }, "serializable (threads: safe)"));
  property.append(...about.properties.map((each) => make("option", { value: each.name }, LABELS[each.name] ?? each.name)));
  const observe = field("observe", "Observe final values of", make("input", { id: "observe", placeholder: "all, or X, Y", oninput: onChange }));
  const barriers = field("barriers", "Moments of time", make("input", { id: "barriers", type: "number", min: 0, max: 16, value: 1, oninput: onChange }));
  const specification = field("specification", "Specification", make("textarea", { id: "specification", rows: 6, spellcheck: "false", oninput: onChange }));
  const pending = field("pending", "Runs may end with requests in flight", make("input", { id: "pending", type: "checkbox", onchange: onChange }));
  const isolation = field("isolation", "Isolation level, where the text names none", make("select", { id: "isolation", onchange: onChange }));
  isolation.input.append(
    ...about.isolation.map((level) => make("option", { value: level }, level.replaceAll("-", " "))),
  );
  const seconds = field("seconds", "Time limit, seconds", make("input", { id: "seconds", type: "number", min: 1, max: about.limits.seconds, value: Math.min(10, about.limits.seconds), oninput: onChange }));
  const parameters: Readonly<Record<string, Field>> = { observe, barriers, specification, pending };
  const element = make(
    "div",
    { class: "options" },
    make("label", { for: "property" }, "Is it"),
    property,
    ...Object.values(parameters).map((each) => each.element),
    isolation.element,
    seconds.element,
  );

  function changed(): void {
    const takes = about.properties.find((each) => each.name === (property.value || "serializable"))?.takes ?? [];
    for (const [name, each] of Object.entries(parameters)) each.element.hidden = !takes.includes(name);
    onChange();
  }

  function asked(): Property | null {
    const name = property.value || "serializable";
    const takes = about.properties.find((each) => each.name === name)?.takes ?? [];
    const given: Record<string, unknown> = {};
    if (takes.includes("observe") && observe.input.value.trim()) given["observe"] = observed(observe.input.value);
    if (takes.includes("barriers")) given["barriers"] = Number(barriers.input.value);
    if (takes.includes("specification")) given["specification"] = specification.input.value;
    if (takes.includes("pending")) given["pending"] = (pending.input as HTMLInputElement).checked;
    if (!property.value && !Object.keys(given).length) return null;
    return Object.keys(given).length ? { property: name, ...given } : name;
  }

  changed();
  return {
    element,
    fit(name) {
      isolation.element.hidden = suffixOf(name) !== ".sql";
    },
    options() {
      const level = isolation.input.value;
      return {
        property: asked(),
        settings: level && !isolation.element.hidden ? { isolation: level } : {},
        seconds: Math.max(1, Math.round(Number(seconds.input.value) || 10)),
      };
    },
  };
}

export function observed(text: string): "all" | string[] {
  const names = text.split(/[\s,]+/).filter(Boolean);
  return names.length === 1 && names[0] === "all" ? "all" : [...new Set(names)].sort();
}

interface Field {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
}

function field<T extends HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(id: string, label: string, input: T): { element: HTMLElement; input: T } {
  return { element: make("div", { class: "field" }, make("label", { for: id }, label), input), input };
}
