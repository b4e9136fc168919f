// A host for the extension without an editor: the part of Visual Studio Code's API that the extension and the
// client of language servers use. What a test does not look at is an empty class or an event that never comes.
import { EventEmitter as Emitter } from "node:events";
import { createRequire, Module } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

class Uri {
  constructor(text) {
    this.text = text;
    const { protocol, host, pathname } = new URL(text);
    Object.assign(this, { scheme: protocol.slice(0, -1), authority: host, path: decodeURIComponent(pathname), query: "", fragment: "" });
    this.fsPath = this.scheme === "file" ? fileURLToPath(text) : this.path;
  }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri(pathToFileURL(path).href); }
  toString() { return this.text; }
}

class Disposable {
  constructor(end) { this.dispose = end ?? (() => {}); }
  static from(...all) { return new Disposable(() => all.forEach((each) => each.dispose())); }
}

class EventEmitter {
  constructor() {
    this.emitter = new Emitter();
    this.event = (listener, self) => {
      const heard = self === undefined ? listener : listener.bind(self);
      this.emitter.on("told", heard);
      return new Disposable(() => this.emitter.off("told", heard));
    };
  }
  fire(value) { this.emitter.emit("told", value); }
  dispose() { this.emitter.removeAllListeners(); }
}

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}

class Range {
  constructor(start, end, line, character) {
    const isNumbers = typeof start === "number";
    this.start = isNumbers ? new Position(start, end) : start;
    this.end = isNumbers ? new Position(line, character) : end;
  }
}

class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}

class CompletionItem {
  constructor(label, kind) { Object.assign(this, { label, kind }); }
}

class CodeAction {
  constructor(title, kind) { Object.assign(this, { title, kind }); }
}

class WorkspaceEdit {
  constructor() { this.changes = []; }
  set(uri, edits) { this.changes.push([uri, edits]); }
}

class TextEdit {
  constructor(range, newText) { Object.assign(this, { range, newText }); }
}

class CancellationTokenSource {
  constructor() { this.token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() }; }
  cancel() {}
  dispose() {}
}

class Hover {
  constructor(contents, range) { Object.assign(this, { contents: [contents].flat(), range }); }
}

class MarkdownString {
  constructor(value) { this.value = value; }
  appendCodeblock(value) { this.value = value; return this; }
}

class CodeLens {
  constructor(range, command) { Object.assign(this, { range, command }); }
}

class FoldingRange {
  constructor(start, end, kind) { Object.assign(this, { start, end, kind }); }
}

class Location {
  constructor(uri, range) { Object.assign(this, { uri, range }); }
}

class DiagnosticRelatedInformation {
  constructor(location, message) { Object.assign(this, { location, message }); }
}

class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
CodeActionKind.Empty = new CodeActionKind("");
CodeActionKind.QuickFix = new CodeActionKind("quickfix");

export function textDocument(name, languageId, text) {
  const lines = text.split("\n");
  return {
    uri: Uri.file(name), fileName: name, languageId, version: 1, isClosed: false, isDirty: false, isUntitled: false,
    lineCount: lines.length, eol: 1, getText: () => text, lineAt: (line) => ({ text: lines[line] }),
  };
}

/** The host with some settings and open documents. Tests read `seen`. */
export function createHost(settings, documents) {
  const seen = { diagnostics: new Map(), providers: {}, commands: new Map(), panels: [], errors: [], told: new Emitter() };
  const silent = () => new Disposable();
  const changed = { configuration: new EventEmitter(), theme: new EventEmitter(), closed: new EventEmitter() };
  const read = (section) => ({
    get: (name, fallback) => settings[section ? `${section}.${name}` : name] ?? fallback,
    has: (name) => `${section}.${name}` in settings,
    inspect: () => undefined,
    ...Object.fromEntries(Object.entries(settings).filter(([key]) => key.startsWith(`${section}.`)).map(([key, value]) => [key.slice(section.length + 1), value])),
  });
  const languages = new Proxy({
    match: (selector, document) => Math.max(0, ...[selector].flat().map((each) => ((each.language ?? each) === document.languageId ? 10 : 0))),
    createDiagnosticCollection: () => ({
      name: "seriatim", clear() {}, dispose() {}, delete() {}, has: () => false, get: () => [],
      set(uri, found) {
        seen.diagnostics.set(uri.toString(), found);
        seen.told.emit("diagnostics");
      },
    }),
  }, {
    get: (known, name) => known[name] ?? ((selector, provider) => {
      (seen.providers[name] ??= []).push(provider);
      return new Disposable();
    }),
  });
  const known = {
    version: "1.90.0", Uri, Disposable, EventEmitter, Position, Range, Diagnostic, CompletionItem, CodeAction, WorkspaceEdit, TextEdit,
    CancellationTokenSource, CancellationError: class extends Error {}, Hover, MarkdownString, CodeLens, FoldingRange, Location,
    DiagnosticRelatedInformation, CodeActionKind, languages,
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 },
    ViewColumn: { Beside: -2 }, ProgressLocation: { Window: 10 }, FoldingRangeKind: { Comment: "comment", Imports: "imports", Region: "region" },
    workspace: {
      textDocuments: documents, notebookDocuments: [], workspaceFolders: undefined, getConfiguration: read, applyEdit: async () => true,
      onDidChangeConfiguration: changed.configuration.event, onDidCloseTextDocument: changed.closed.event,
      onDidOpenTextDocument: silent, onDidChangeTextDocument: silent, onDidSaveTextDocument: silent, onWillSaveTextDocument: silent,
      onDidChangeWorkspaceFolders: silent, onDidCreateFiles: silent, onDidRenameFiles: silent, onDidDeleteFiles: silent,
      onWillCreateFiles: silent, onWillRenameFiles: silent, onWillDeleteFiles: silent, onDidOpenNotebookDocument: silent,
      onDidCloseNotebookDocument: silent, onDidChangeNotebookDocument: silent, onDidSaveNotebookDocument: silent,
      createFileSystemWatcher: () => ({ onDidCreate: silent, onDidChange: silent, onDidDelete: silent, dispose() {} }),
      registerTextDocumentContentProvider: silent,
    },
    window: {
      activeColorTheme: { kind: 2 }, activeTextEditor: { document: documents[0] }, visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: silent },
      onDidChangeActiveColorTheme: changed.theme.event, onDidChangeActiveTextEditor: silent, onDidChangeVisibleTextEditors: silent,
      createOutputChannel: () => ({ append() {}, appendLine() {}, show() {}, dispose() {}, clear() {}, replace() {} }),
      createWebviewPanel: () => {
        const panel = { title: "", webview: { html: "" }, reveal() {}, onDidDispose: silent };
        seen.panels.push(panel);
        return panel;
      },
      showErrorMessage: async (text) => void seen.errors.push(text),
      showInformationMessage: async () => undefined, showWarningMessage: async () => undefined,
      withProgress: async (_, task) => task({ report() {} }, new CancellationTokenSource().token),
    },
    commands: {
      registerCommand(name, run) {
        seen.commands.set(name, run);
        return new Disposable(() => seen.commands.delete(name));
      },
      executeCommand: async (name, ...rest) => seen.commands.get(name)?.(...rest),
    },
    env: { language: "en", appName: "a host without an editor", openExternal: async () => true },
    extensions: { getExtension: () => undefined, all: [] },
  };
  const host = new Proxy(known, { get: (all, name) => all[name] ?? (typeof name === "string" ? (all[name] = class {}) : undefined) });
  return { host, seen };
}

/** The built extension, whose `vscode` is this host. */
export function loadExtension(path, host) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? host : load(name, ...rest));
  try {
    return require(path);
  } finally {
    Module._load = load;
  }
}
