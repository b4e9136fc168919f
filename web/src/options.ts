// What is asked, and how far to look: the property with its parameters, settings of the source, limits.
import type { About, CheckOptions, Property, Settings } from "./backend";
import { make } from "./elements";
import { isLog, suffixOf } from "./languages";
import type { Given } from "./share";

export interface OptionsForm {
  readonly element: HTMLElement;
  /** Shows what fits a kind of source. */
  fit(name: string): void;
  options(): CheckOptions & { settings: Settings };
  /** What differs from the usual, by the names that links give it. */
  given(): Given;
  /** Sets everything, the rest to the usual; returns what it does not know. */
  fill(given: Given): string[];
}

const LABELS: Readonly<Record<string, string>> = {
  serializable: "serializable",
  "conflict-serializable": "conflict-serializable",
  strict: "strictly serializable",
  linearizable: "linearizable",
  "static-linearizable": "linearizable at fixed points",
  safe: "safe: no step fails",
  "deadlock-free": "free of deadlocks",
  "race-free": "free of data races",
  "memory-safe": "safe in its use of memory",
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

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
  const model = field("model", "Is it explained by", make("select", { id: "model", onchange: onChange }));
  model.input.append(make("option", { value: "" }, "a level of isolation"), ...about.models.map((each) => make("option", { value: each }, `a ${each}`)));
  const seconds = field("seconds", "Time limit, seconds", make("input", { id: "seconds", type: "number", min: 1, max: about.limits.seconds, value: Math.min(20, about.limits.seconds), oninput: onChange }));
  const parameters: Readonly<Record<string, Field>> = { observe, barriers, specification, pending };
  const controls: Readonly<Record<string, Control>> = {
    property,
    ...Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name, each.input])),
    isolation: isolation.input,
    model: model.input,
    seconds: seconds.input,
  };
  const usual: Given = Object.fromEntries(Object.entries(controls).map(([name, each]) => [name, read(each)]));
  const asks = make("div", { class: "field" }, make("label", { for: "property" }, "Is it"), property);
  const element = make(
    "div",
    { class: "options" },
    asks,
    ...Object.values(parameters).map((each) => each.element),
    isolation.element,
    model.element,
    seconds.element,
  );

  function showParameters(): void {
    const takes = about.properties.find((each) => each.name === (property.value || "serializable"))?.takes ?? [];
    for (const [name, each] of Object.entries(parameters)) each.element.hidden = asks.hidden || !takes.includes(name);
  }

  function changed(): void {
    showParameters();
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

  showParameters();
  return {
    element,
    fit(name) {
      isolation.element.hidden = suffixOf(name) !== ".sql";
      model.element.hidden = !isLog(name);
      asks.hidden = isLog(name);
      showParameters(); // Logs have none.
    },
    options() {
      const settings: Record<string, string> = {};
      if (isolation.input.value && !isolation.element.hidden) settings["isolation"] = isolation.input.value;
      if (model.input.value && !model.element.hidden) settings["model"] = model.input.value;
      return {
        property: asks.hidden ? null : asked(),
        settings,
        seconds: Math.max(1, Math.round(Number(seconds.input.value) || 10)),
      };
    },
    given() {
      const shown = Object.entries(controls).filter(([name]) => !(parameters[name] ?? { isolation, model }[name])?.element.hidden);
      return Object.fromEntries(shown.map(([name, each]) => [name, read(each)] as const).filter(([name, value]) => value !== usual[name]));
    },
    fill(given) {
      for (const [name, each] of Object.entries(controls)) write(each, usual[name]!);
      const unknown = Object.entries(given).filter(([name, value]) => !(name in controls) || !write(controls[name]!, value));
      showParameters();
      return unknown.map(([name, value]) => `${name}=${value}`);
    },
  };
}

function read(control: Control): string {
  return control instanceof HTMLInputElement && control.type === "checkbox" ? (control.checked ? "yes" : "") : control.value;
}

/** Whether the control can have this value; otherwise it stays as it is. */
function write(control: Control, value: string): boolean {
  if (control instanceof HTMLInputElement && control.type === "checkbox") {
    control.checked = value === "yes";
    return value === "" || value === "yes";
  }
  if (control instanceof HTMLSelectElement && ![...control.options].some((each) => each.value === value)) return false;
  if (control instanceof HTMLInputElement && control.type === "number" && !/^\d+$/.test(value)) return false;
  control.value = value;
  return true;
}

export function observed(text: string): "all" | string[] {
  const names = text.split(/[\s,]+/).filter(Boolean);
  return names.length === 1 && names[0] === "all" ? "all" : [...new Set(names)].sort();
}

interface Field {
  readonly element: HTMLElement;
  readonly input: Control;
}

function field<T extends Control>(id: string, label: string, input: T): { element: HTMLElement; input: T } {
  return { element: make("div", { class: "field" }, make("label", { for: id }, label), input), input };
}
