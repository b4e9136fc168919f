/** Starts the language server, and shows its report beside the text. */
import * as vscode from "vscode";
import { LanguageClient, State, type ServerOptions } from "vscode-languageclient/node";
import { inTheme } from "./report";
import { languages, serverCommand, serverSettings } from "./settings";

let client: LanguageClient | undefined;
let panel: vscode.WebviewPanel | undefined;
let reported = "";
/** The document that the panel is about. */

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("seriatim.showReport", showReport),
    vscode.commands.registerCommand("seriatim.restart", restart),
    vscode.window.onDidChangeActiveColorTheme(refreshReport),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("seriatim.command") || change.affectsConfiguration("seriatim.otherLanguages")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("seriatim");
  const [command, args] = serverCommand(configuration);
  const server: ServerOptions = { command, args };
  client = new LanguageClient("seriatim", "Seriatim", server, {
    documentSelector: languages(configuration).map((language) => ({ language })),
    initializationOptions: serverSettings(configuration),
    synchronize: { configurationSection: "seriatim" },
    middleware: {
      handleDiagnostics(uri, diagnostics, next) {
        next(uri, diagnostics);
        if (uri.toString() === reported) void refreshReport(); // There is a new verdict.
      },
    },
  });
  try {
    await client.start();
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(
      `Seriatim: cannot start ${[command, ...args].join(" ")} (${String(error)}). Install it: pip install "seriatim[lsp]"`,
      "Open settings",
    );
    if (choice !== undefined) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "seriatim.command");
    }
  }
}

async function restart(): Promise<void> {
  await client?.stop().catch(() => undefined);
  await start();
}

async function showReport(uri?: string): Promise<void> {
  const shown = uri ?? vscode.window.activeTextEditor?.document.uri.toString();
  if (shown === undefined) {
    return;
  }
  const page = await reportOf(shown);
  if (page === null) {
    await vscode.window.showInformationMessage("Seriatim: there is no verdict on this text yet.");
    return;
  }
  panel ??= newPanel();
  reported = vscode.Uri.parse(shown).toString();
  panel.title = `Report: ${vscode.Uri.parse(shown).path.split("/").pop()}`;
  show(page);
  panel.reveal(vscode.ViewColumn.Beside, true);
}

/** The panel follows the text: what it says is never about an older one for long. */
async function refreshReport(): Promise<void> {
  const page = panel === undefined ? null : await reportOf(reported);
  if (page !== null) {
    show(page);
  }
}

async function reportOf(uri: string): Promise<string | null> {
  if (client?.state !== State.Running) {
    return null;
  }
  return client.sendRequest<string | null>("workspace/executeCommand", { command: "seriatim.report", arguments: [uri] });
}

function show(page: string): void {
  const { kind } = vscode.window.activeColorTheme;
  const isDark = kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
  if (panel !== undefined) {
    panel.webview.html = inTheme(page, isDark);
  }
}

/** The report is one page that needs no network; its script steps through the run. */
function newPanel(): vscode.WebviewPanel {
  const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  const created = vscode.window.createWebviewPanel("seriatim.report", "Report", place, {
    enableScripts: true,
    localResourceRoots: [],
  });
  created.onDidDispose(() => {
    panel = undefined;
    reported = "";
  });
  return created;
}
