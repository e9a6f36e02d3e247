import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { page } from "./topology";

let client: LanguageClient | undefined;

/** previews are the open topologies, by the URI of their deployment. */
const previews = new Map<string, vscode.WebviewPanel>();

/** server says how kumiki is started. */
export function server(): ServerOptions {
  const path = vscode.workspace.getConfiguration("kumiki").get<string>("path");
  return { command: path === undefined || path === "" ? "kumiki" : path, args: ["lsp"] };
}

/** options are what the client watches, and tells the server when it starts. */
export function options(): LanguageClientOptions {
  const modules = vscode.workspace.getConfiguration("kumiki").get<string[]>("modules") ?? [];
  return {
    documentSelector: [{ language: "cue", scheme: "file" }],
    initializationOptions: { modules },
  };
}

/** activate is called by VS Code when the first CUE file is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const commands: Record<string, (uri?: string) => Promise<void>> = {
    "kumiki.compile": compile,
    "kumiki.showSolution": showSolution,
    "kumiki.topology": showTopology,
    "kumiki.problems": async () => {
      await vscode.commands.executeCommand("workbench.actions.view.problems");
    },
    "kumiki.restart": async () => {
      await client?.restart();
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, (uri?: string) => told(run(uri))));
  }
  context.subscriptions.push(vscode.workspace.onDidSaveTextDocument(() => redraw()));
  client = new LanguageClient("kumiki", "Kumiki", server(), options());
  await client.start();
}

/** deactivate is called by VS Code when it ends. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** told shows what went wrong to the user. */
async function told(running: Promise<void>): Promise<void> {
  try {
    await running;
  } catch (err) {
    await vscode.window.showErrorMessage(`kumiki: ${err instanceof Error ? err.message : String(err)}`);
  }
}

/** deployment is the URI of the file that a command is about. */
function deployment(uri?: string): string {
  const file = uri ?? vscode.window.activeTextEditor?.document.uri.toString();
  if (file === undefined) {
    throw new Error("open a deployment first");
  }
  return file;
}

/** solution asks the server for the solution of a deployment's file. */
async function solution(file: string): Promise<string> {
  if (!client) {
    throw new Error("the language server does not run");
  }
  return client.sendRequest<string>("workspace/executeCommand", { command: "kumiki.solution", arguments: [file] });
}

/** compile writes the solution where the user says, and shows it. */
async function compile(uri?: string): Promise<void> {
  const file = deployment(uri);
  const text = await solution(file);
  const target = await vscode.window.showSaveDialog({
    title: "Write the Solution",
    defaultUri: vscode.Uri.joinPath(vscode.Uri.parse(file), "..", "solution.json"),
    filters: { Solution: ["json"] },
  });
  if (!target) {
    return;
  }
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(target, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

async function showSolution(uri?: string): Promise<void> {
  const content = await solution(deployment(uri));
  const document = await vscode.workspace.openTextDocument({ language: "json", content });
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

async function showTopology(uri?: string): Promise<void> {
  const file = deployment(uri);
  const html = page(await solution(file));
  let panel = previews.get(file);
  if (!panel) {
    panel = vscode.window.createWebviewPanel("kumiki.topology", "Topology", vscode.ViewColumn.Beside, { enableScripts: false });
    panel.onDidDispose(() => previews.delete(file));
    previews.set(file, panel);
  }
  panel.webview.html = html;
}

/** redraw brings the open topologies up to date; one whose deployment has problems stays as it is. */
async function redraw(): Promise<void> {
  for (const [file, panel] of previews) {
    try {
      panel.webview.html = page(await solution(file));
    } catch {
      continue;
    }
  }
}
