// The page: an editor, and beside it what is known about its program. It checks as you type.
import "../../src/seriatim/report/html/run.css";
import "./style.css";
import { isAbort, Refusal, type About, type Backend, type CheckAnswer, type Diagnostic, type Loading, type Progress, type Settings, type Source } from "./backend";
import { createEditor, NO_MARKS, type Editor } from "./editor";
import { counted, find, fromPython, make } from "./elements";
import { explorer, type Explorer } from "./explore";
import { saveAs } from "./files";
import { fixesPanel } from "./fixes";
import { gallery } from "./gallery";
import { fromHistory, fromLastVisit, keep } from "./kept";
import { isLog, languageOf, suffixOf } from "./languages";
import { optionsForm, type OptionsForm } from "./options";
import { permission, type Permission } from "./permission";
import { picturesPanel } from "./pictures";
import { proofPanel } from "./proof";
import { fromFragment, toFragment, type Work } from "./share";
import { splitter } from "./split";
import { createTabs, type Tabs } from "./tabs";
import { themeSwitch } from "./theme";
import { diagnosticBox, verdictPanel } from "./verdict";

const PAUSE = 350;
/** Milliseconds without a key before a check. */

const DAMAGED = "This link is damaged: perhaps it was cut when it was copied. Ask for it again. Below is what you had before.";

const PATIENCE = 500;
/** Milliseconds of a check before the page says that it is still checking. */

const EXPLORED: readonly string[] = [".ser", ".json"];
/** Other files have runs that are told in other words than moves. */

const MENDED: readonly string[] = [".ser", ".py", ".sql", ".c"];
/** Files of which changes are proved. */

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
  private readonly explorer: Explorer;
  /** Null until the backend has told what it can do. */
  private form: OptionsForm | null = null;
  private permission: Permission | null = null;
  private name = "program.ser";
  /** The program as it was opened; if the editor has another one, somebody has worked on it. */
  private opened_ = "";
  private answer: CheckAnswer | null = null;
  private asking = new AbortController();
  private timer = 0;
  private patience = 0;
  private stale = new Set<string>();
  /** Panels that show what was, not what is. */

  constructor(private readonly backend: Backend) {
    this.editor = createEditor(find("#editor"), () => this.changed(), () => void this.check());
    this.tabs = createTabs("What is known about the program", TABS, (id) => void this.opened(id));
    find("#tabs").replaceChildren(this.tabs.list);
    find("#panels").replaceChildren(...this.tabs.panels.values());
    this.explorer = explorer(this.panel("explore"), backend, () => ({ ...this.source(), settings: this.settings() }), (marks, reveal) => this.editor.mark(marks, reveal));
    find("#share").addEventListener("click", () => void this.share());
    find("#format").addEventListener("click", () => void this.format());
    find("#cancel").addEventListener("click", () => this.cancel());
    find("#save").addEventListener("click", () => saveAs(this.name, new Blob([this.editor.text()], { type: "text/plain" })));
    find("#open").addEventListener("click", () => find<HTMLInputElement>("#file").click());
    find<HTMLInputElement>("#file").addEventListener("change", (event) => void this.openFile(event.target as HTMLInputElement));
    find<HTMLInputElement>("#name").addEventListener("change", (event) => void this.rename((event.target as HTMLInputElement).value));
    find("#help").addEventListener("click", () => find<HTMLDialogElement>("#sheet").showModal());
    themeSwitch(find("#theme"));
    splitter(find("#split"), find("main"));
  }

  /** Shows a program at once; checks it when the backend is there. */
  async begin(): Promise<void> {
    const { EXAMPLES, FIRST } = await import("./examples");
    const shared = fromHistory() ?? (await fromFragment(location.hash));
    if (shared === "damaged") this.notice(DAMAGED);
    const first = { ...EXAMPLES.find((each) => each.name === FIRST)!, given: {} };
    const work = (shared === "damaged" ? null : shared) ?? fromLastVisit() ?? first;
    await this.open(work);
    window.addEventListener("popstate", (event: PopStateEvent) => void this.goBack(event.state));
    const about = await this.backend.about((loading) => this.loading(loading));
    this.ready(about, work);
    const usable = EXAMPLES.filter((each) => about.suffixes.includes(suffixOf(each.name)));
    const shown = gallery(find<HTMLDialogElement>("#gallery"), usable, () => !this.isEdited(), (chosen) => void this.visit({ ...chosen, given: {} }));
    find("#examples").addEventListener("click", () => shown.open());
    await this.check();
  }

  private ready(about: About, work: Work): void {
    this.form = optionsForm(about, () => this.changed());
    find("#options").replaceChildren(this.form.element);
    this.permission = permission(about, () => void this.check());
    find("#allowed").replaceChildren(this.permission.element);
    this.fill(work);
    this.form.fit(this.name);
    this.permission.fit(this.name);
    find("#version").textContent = about.version;
    find("#loading").hidden = true;
    find("#known").hidden = false;
  }

  private loading({ what, share }: Loading): void {
    find("#loading p").textContent = what;
    const bar = find<HTMLProgressElement>("#loading progress");
    if (share === null) bar.removeAttribute("value");
    else bar.value = share;
  }

  private isEdited(): boolean {
    return this.editor.text() !== this.opened_ && this.editor.text().trim() !== "";
  }

  /** Opens a program in a new entry of the history, so that Back returns to the present one. */
  private async visit(work: Work): Promise<void> {
    this.keep();
    history.pushState(work, "", location.pathname + location.search);
    await this.open(work);
    await this.check();
  }

  /** Back, Forward, or a link that was put into the address bar. */
  private async goBack(state: unknown): Promise<void> {
    const found = fromHistory(state) ?? (await fromFragment(location.hash));
    if (found === "damaged") this.notice(DAMAGED);
    else if (found) {
      await this.open(found);
      await this.check();
    }
  }

  private async openFile(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    input.value = "";
    if (file) await this.visit({ name: file.name, text: await file.text(), given: {} });
  }

  private async open(work: Work): Promise<void> {
    this.fill(work);
    this.permission?.withdraw();
    await this.rename(work.name);
    this.editor.replace(work.text);
    this.opened_ = this.editor.text();
    this.tabs.open("verdict");
  }

  private fill(work: Work): void {
    const unknown = this.form?.fill(work.given) ?? [];
    if (unknown.length) this.notice(`The link asks for something that this page does not know: ${unknown.join(", ")}. The usual is asked instead.`);
    if (Object.keys(work.given).length) find<HTMLDetailsElement>(".question").open = true;
  }

  private notice(text: string): void {
    const close = make("button", { type: "button", class: "quiet", onclick: () => (find("#notice").hidden = true) }, "Close");
    find("#notice").replaceChildren(make("p", {}, text), close);
    find("#notice").hidden = false;
  }

  private async rename(name: string): Promise<void> {
    this.name = name.replaceAll(/[/\\]/g, "-").trim() || "program.ser";
    find<HTMLInputElement>("#name").value = this.name;
    this.form?.fit(this.name);
    this.permission?.fit(this.name);
    const suffix = suffixOf(this.name);
    this.tabs.allow("explore", EXPLORED.includes(suffix));
    this.tabs.allow("fixes", MENDED.includes(suffix));
    this.tabs.allow("pictures", ![".py", ".c", ".conc", ".actions"].includes(suffix) && !isLog(this.name));
    this.tabs.allow("proof", !isLog(this.name));
    if (suffix === ".sql" || isLog(this.name)) find<HTMLDetailsElement>(".question").open = true; // It has to be said what is asked.
    find("#format").hidden = ![".ser", ".conc", ".actions"].includes(suffix);
    this.editor.speak(await languageOf(this.name), this.name);
    this.changed();
  }

  private settings(): Settings {
    return this.form?.options().settings ?? {};
  }

  private keep(): void {
    keep({ ...this.source(), given: this.form?.given() ?? fromHistory()?.given ?? {} });
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
    if (location.hash && this.isEdited()) history.replaceState(history.state, "", location.pathname + location.search); // The link is to something else.
    this.timer = setTimeout(() => void this.check(), PAUSE) as unknown as number;
  }

  private cancel(): void {
    this.asking.abort();
    this.say(make("span", { class: "badge open" }, "stopped"), "Change the program, or press Ctrl+Enter to check again.");
    this.busy(false);
  }

  private async check(): Promise<void> {
    clearTimeout(this.timer);
    this.keep();
    if (!this.form) return; // It is checked when the backend is there.
    if (location.hash) await this.addressQuestion();
    this.asking.abort();
    if (this.permission?.isAwaited) return this.showAwaited();
    const asking = (this.asking = new AbortController());
    const source = this.source();
    this.busy(true);
    try {
      const onProgress = (progress: Progress): void => this.progress(progress);
      const answer = await this.backend.ask("check", { ...source, ...this.form.options(), run: this.permission?.isGiven ?? false }, { signal: asking.signal, onProgress });
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

  /** Nothing is known of a program that runs decide, before one is allowed. */
  private showAwaited(): void {
    this.busy(false);
    this.answer = null;
    this.editor.show([]);
    this.editor.mark(NO_MARKS, false);
    this.say(make("span", { class: "badge open" }, "not run yet"), "");
    for (const id of ["verdict", "explore", "fixes", "pictures", "proof"]) this.panel(id).replaceChildren();
  }

  /** The link in the address asks what the page asks, also after another question was chosen. */
  private async addressQuestion(): Promise<void> {
    const fragment = await toFragment(this.source(), this.form?.given() ?? {});
    if (location.hash && !this.isEdited()) history.replaceState(history.state, "", `#${fragment}`);
  }

  private busy(is: boolean): void {
    find("#verdict").classList.toggle("busy", is);
    find("#verdict").setAttribute("aria-busy", String(is));
    find("#progress").textContent = "";
    clearTimeout(this.patience);
    if (is) this.patience = setTimeout(() => this.say(make("span", { class: "badge checking" }, "checking…"), ""), PATIENCE) as unknown as number;
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
          const found = await this.backend.ask("fix", { ...source, settings: this.settings(), run: this.permission?.isGiven ?? false }, { signal, onProgress });
          return fixesPanel(found, source.text, (text) => {
            this.editor.replace(text);
            this.tabs.open("verdict");
          });
        });
      case "pictures":
        return this.load(panel, "Drawing…", async (signal) => {
          const found = await this.backend.ask("draw", { ...this.source(), settings: this.settings() }, { signal });
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
    const address = `${location.origin}${location.pathname}#${await toFragment(this.source(), this.form?.given() ?? {})}`;
    history.replaceState(history.state, "", address);
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

async function start(): Promise<void> {
  const backend: Backend =
    import.meta.env.MODE === "playground"
      ? (await import("./browser_backend")).browserBackend()
      : (await import("./server_backend")).serverBackend();
  if (backend.name === "browser") find<HTMLAnchorElement>("#docs").href = "../index.html"; // The site holds both.
  else find("#docs").hidden = true;
  await new Page(backend).begin();
  document.documentElement.dataset["ready"] = backend.name;
  if (backend.name === "browser" && "serviceWorker" in navigator) void navigator.serviceWorker.register("./keeper.js");
}

start().catch((error: unknown) => {
  find("#loading").hidden = false;
  find("#known").hidden = true;
  find("#loading").replaceChildren(make("p", {}, `The page could not start: ${error instanceof Error ? error.message : String(error)}`));
});
