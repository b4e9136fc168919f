// The page: an editor, and beside it what is known about its program. It checks as you type.
import "../../src/seriatim/report/html/run.css";
import "./style.css";
import { isAbort, Refusal, type About, type Backend, type CheckAnswer, type Diagnostic, type Progress, type Source } from "./backend";
import { createEditor, NO_MARKS, type Editor } from "./editor";
import { counted, find, fromPython, make } from "./elements";
import { explorer, type Explorer } from "./explore";
import { fixesPanel } from "./fixes";
import { languageOf, suffixOf } from "./languages";
import { optionsForm, type OptionsForm } from "./options";
import { picturesPanel } from "./pictures";
import { proofPanel } from "./proof";
import { fromFragment, toFragment } from "./share";
import { createTabs, type Tabs } from "./tabs";
import { diagnosticBox, verdictPanel } from "./verdict";

const PAUSE = 350;
/** Milliseconds without a key before a check. */

const KEPT = "seriatim-source";

const EXPLORED: readonly string[] = [".ser", ".py", ".json"];
/** Other files have runs that are told in other words than moves. */

const TABS = [
  { id: "verdict", title: "Verdict" },
  { id: "explore", title: "Explore" },
  { id: "fixes", title: "Fixes" },
  { id: "pictures", title: "Pictures" },
  { id: "proof", title: "Proof" },
] as const;

class Page {
  private readonly editor: Editor;
  private readonly tabs: Tabs;
  private readonly form: OptionsForm;
  private readonly explorer: Explorer;
  private name = "program.ser";
  private answer: CheckAnswer | null = null;
  private asking = new AbortController();
  private timer = 0;
  private stale = new Set<string>();
  /** Panels that show what was, not what is. */

  constructor(
    private readonly backend: Backend,
    private readonly about: About,
  ) {
    this.editor = createEditor(find("#editor"), () => this.changed(), () => void this.check());
    this.tabs = createTabs("What is known about the program", TABS, (id) => void this.opened(id));
    find("#tabs").replaceChildren(this.tabs.list);
    find("#panels").replaceChildren(...this.tabs.panels.values());
    this.form = optionsForm(about, () => this.changed());
    find("#options").replaceChildren(this.form.element);
    this.explorer = explorer(this.panel("explore"), backend, () => ({ ...this.source(), settings: this.form.options().settings }), (marks, reveal) => this.editor.mark(marks, reveal));
    find("#version").textContent = about.version;
    find("#share").addEventListener("click", () => void this.share());
    find("#format").addEventListener("click", () => void this.format());
    find("#cancel").addEventListener("click", () => this.cancel());
    find<HTMLInputElement>("#name").addEventListener("change", (event) => void this.rename((event.target as HTMLInputElement).value));
  }

  async begin(): Promise<void> {
    const left = kept(); // Before anything is checked, and kept.
    const { EXAMPLES, FIRST } = await import("./examples");
    const usable = EXAMPLES.filter((each) => this.about.suffixes.includes(suffixOf(each.name)));
    const menu = find<HTMLSelectElement>("#examples");
    for (const group of new Set(usable.map((each) => each.group))) {
      const options = usable.filter((each) => each.group === group);
      menu.append(optgroup(group, options.map((each) => make("option", { value: String(usable.indexOf(each)) }, each.title))));
    }
    menu.addEventListener("change", () => {
      const chosen = usable[Number(menu.value)];
      menu.value = "";
      if (chosen) void this.open(chosen);
    });
    const first = usable.find((each) => each.name === FIRST)!;
    await this.open((await fromFragment(location.hash)) ?? left ?? first);
    addEventListener("hashchange", () => void this.openFragment());
  }

  private async openFragment(): Promise<void> {
    const found = await fromFragment(location.hash);
    if (found) await this.open(found);
  }

  private async open(source: Source): Promise<void> {
    await this.rename(source.name);
    this.editor.replace(source.text);
    this.tabs.open("verdict");
    await this.check();
  }

  private async rename(name: string): Promise<void> {
    this.name = name.replaceAll(/[/\\]/g, "-").trim() || "program.ser";
    find<HTMLInputElement>("#name").value = this.name;
    this.form.fit(this.name);
    const suffix = suffixOf(this.name);
    this.tabs.allow("explore", EXPLORED.includes(suffix));
    this.tabs.allow("fixes", suffix === ".ser");
    this.tabs.allow("pictures", ![".c", ".conc"].includes(suffix));
    if (suffix === ".sql") find<HTMLDetailsElement>(".question").open = true; // It has to be said at which level.
    find("#format").hidden = ![".ser", ".conc"].includes(suffix);
    this.editor.speak(await languageOf(this.name), this.name);
    this.changed();
  }

  private source(): Source {
    return { name: this.name, text: this.editor.text() };
  }

  private panel(id: string): HTMLElement {
    return this.tabs.panels.get(id)!;
  }

  // Checking

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), PAUSE) as unknown as number;
  }

  private cancel(): void {
    this.asking.abort();
    this.say(make("span", { class: "badge open" }, "stopped"), "Change the program, or press Ctrl+Enter to check again.");
    this.busy(false);
  }

  private async check(): Promise<void> {
    clearTimeout(this.timer);
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    const source = this.source();
    keep(source);
    this.busy(true);
    try {
      const onProgress = (progress: Progress): void => this.progress(progress);
      const answer = await this.backend.ask("check", { ...source, ...this.form.options() }, { signal: asking.signal, onProgress });
      if (asking.signal.aborted) return;
      this.show(answer);
    } catch (error) {
      if (isAbort(error) || asking.signal.aborted) return;
      this.answer = null;
      const told = error instanceof Refusal ? error.diagnostics : [];
      this.say(make("span", { class: "badge open" }, "no answer"), "");
      this.panel("verdict").replaceChildren(...(told.length ? told.map((each) => diagnosticBox(each)) : [String(error)]));
    }
    this.busy(false);
  }

  private busy(is: boolean): void {
    find("#verdict").classList.toggle("busy", is);
    find("#verdict").setAttribute("aria-busy", String(is));
    find("#progress").textContent = "";
  }

  private progress(progress: Progress): void {
    const parts = [progress.stage];
    if (progress.states) parts.push(counted(progress.states, "state"));
    if (progress.clean_up_to) parts.push(`no violation with up to ${counted(progress.clean_up_to, "request")}`);
    find("#progress").textContent = parts.join(", ");
  }

  private say(badge: Node, text: string): void {
    find("#headline").replaceChildren(badge, ...(text ? [make("span", { class: "size" }, text)] : []));
  }

  private show(answer: CheckAnswer): void {
    this.answer = answer;
    const { badge, size, name } = answer.page;
    const seconds = answer.seconds >= 0.1 ? `, ${answer.seconds.toFixed(1)} s` : "";
    this.say(fromPython(badge, { class: "badges" }), [name, size].filter(Boolean).join(": ") + (size ? seconds : ""));
    const findings = [...(answer.diagnostics ?? []), ...(answer.warnings ?? [])];
    this.editor.show(findings);
    this.editor.mark(NO_MARKS, false);
    this.stale = new Set(["verdict", "explore", "fixes", "pictures", "proof"]);
    void this.opened(this.tabs.current());
  }

  // Panels: filled when they are looked at

  private async opened(id: string): Promise<void> {
    if (!this.answer || !this.stale.has(id)) return;
    this.stale.delete(id);
    const panel = this.panel(id);
    switch (id) {
      case "verdict": {
        const actions = {
          mark: this.editor.mark,
          goTo: (diagnostic: Diagnostic) => this.editor.focus(diagnostic.line ?? 1, diagnostic.column ?? 1),
          explore: EXPLORED.includes(suffixOf(this.name)) ? () => void this.follow() : null,
        };
        panel.replaceChildren(...verdictPanel(this.answer, actions));
        return;
      }
      case "explore":
        return this.explorer.restart();
      case "fixes":
        return this.load(panel, "Looking for changes that can be proved…", async (signal, onProgress) => {
          const source = this.source();
          const found = await this.backend.ask("fix", source, { signal, onProgress });
          return fixesPanel(found, source.text, (text) => {
            this.editor.replace(text);
            this.tabs.open("verdict");
          });
        });
      case "pictures":
        return this.load(panel, "Drawing…", async (signal) => {
          const found = await this.backend.ask("draw", { ...this.source(), settings: this.form.options().settings }, { signal });
          return picturesPanel(found.pictures);
        });
      case "proof":
        panel.replaceChildren(...proofPanel(this.answer, this.source(), this.backend));
    }
  }

  private async follow(): Promise<void> {
    if (!this.answer) return;
    this.stale.delete("explore");
    this.tabs.open("explore");
    await this.explorer.follow(this.answer);
  }

  private async load(
    panel: HTMLElement,
    waiting: string,
    work: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<HTMLElement[]>,
  ): Promise<void> {
    const told = make("p", { class: "hint", role: "status" }, waiting);
    panel.replaceChildren(told);
    try {
      panel.replaceChildren(...(await work(this.asking.signal, (progress) => (told.textContent = progress.stage))));
    } catch (error) {
      if (isAbort(error)) return;
      panel.replaceChildren(...(error instanceof Refusal ? error.diagnostics.map((each) => diagnosticBox(each)) : [String(error)]));
    }
  }

  // Tools

  private async share(): Promise<void> {
    const address = `${location.origin}${location.pathname}#${await toFragment(this.source())}`;
    history.replaceState(null, "", address);
    const button = find("#share");
    try {
      await navigator.clipboard.writeText(address);
      this.note(button, "Link copied");
    } catch {
      this.note(button, "The link is in the address bar");
    }
  }

  private async format(): Promise<void> {
    try {
      const { text } = await this.backend.ask("format", this.source());
      if (text !== this.editor.text()) this.editor.replace(text);
      this.note(find("#format"), "Formatted");
    } catch (error) {
      if (error instanceof Refusal) this.note(find("#format"), "Correct the mistakes first");
    }
  }

  private note(beside: HTMLElement, text: string): void {
    const told = find("#note");
    told.textContent = text;
    beside.classList.add("done");
    setTimeout(() => {
      told.textContent = "";
      beside.classList.remove("done");
    }, 2500);
  }
}

function optgroup(label: string, options: HTMLElement[]): HTMLElement {
  return make("optgroup", { label }, ...options);
}

function keep(source: Source): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(source));
  } catch {
    // A browser that keeps nothing keeps nothing.
  }
}

function kept(): Source | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "null") as Partial<Source> | null;
    return typeof found?.name === "string" && typeof found.text === "string" && found.text.trim() ? { name: found.name, text: found.text } : null;
  } catch {
    return null;
  }
}

async function start(): Promise<void> {
  const backend: Backend =
    import.meta.env.MODE === "playground"
      ? (await import("./browser_backend")).browserBackend()
      : (await import("./server_backend")).serverBackend();
  if (backend.name === "browser") find("#loading p").textContent = "Starting Python in your browser; the first visit loads 15 MB…";
  const about = await backend.about();
  find("#loading").hidden = true;
  find("main").hidden = false;
  await new Page(backend, about).begin();
  document.documentElement.dataset["ready"] = backend.name;
  if (backend.name === "browser" && "serviceWorker" in navigator) void navigator.serviceWorker.register("./keeper.js");
}

start().catch((error: unknown) => {
  find("#loading").hidden = false;
  find("main").hidden = true;
  find("#loading").replaceChildren(make("p", {}, `The page could not start: ${error instanceof Error ? error.message : String(error)}`));
});
