import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { page } from "./topology";

let client: LanguageClient | undefined;

/** server says how kumiki is started. */
export function server(): ServerOptions {
  const command = vscode.workspace.getConfiguration("kumiki").get<string>("path") || "kumiki";
  return { command, args: ["lsp"] };
}

export const options: LanguageClientOptions = {
  documentSelector: [{ language: "cue", scheme: "file" }],
};

/** activate is called by VS Code when the first CUE file is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const register = (name: string, run: (uri?: string) => Promise<void>): void => {
    context.subscriptions.push(vscode.commands.registerCommand(name, (uri?: string) =>
      run(uri).catch((err: Error) => vscode.window.showErrorMessage(`kumiki: ${err.message}`))));
  };
  register("kumiki.showSolution", showSolution);
  register("kumiki.topology", showTopology);
  register("kumiki.problems", async () => {
    await vscode.commands.executeCommand("workbench.actions.view.problems");
  });
  register("kumiki.restart", async () => {
    await client?.restart();
  });
  client = new LanguageClient("kumiki", "Kumiki", server(), options);
  await client.start();
}

/** deactivate is called by VS Code when it ends. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** solution asks the server for the solution of a deployment's file. */
async function solution(uri?: string): Promise<string> {
  const file = uri ?? vscode.window.activeTextEditor?.document.uri.toString();
  if (!file || !client) {
    throw new Error("open a deployment first");
  }
  return client.sendRequest<string>("workspace/executeCommand", { command: "kumiki.solution", arguments: [file] });
}

async function showSolution(uri?: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "json", content: await solution(uri) });
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

async function showTopology(uri?: string): Promise<void> {
  const html = page(await solution(uri));
  const panel = vscode.window.createWebviewPanel("kumiki.topology", "Topology", vscode.ViewColumn.Beside, { enableScripts: false });
  panel.webview.html = html;
}
