// The part of VS Code's API that the extension uses, and what it did with it:
// the real one exists in VS Code only.
type Run = (...args: unknown[]) => unknown;

export const commands = {
  registered: new Map<string, Run>(),
  executed: [] as string[],
  registerCommand(name: string, run: Run) {
    commands.registered.set(name, run);
    return { dispose: () => commands.registered.delete(name) };
  },
  executeCommand(name: string): Promise<void> {
    commands.executed.push(name);
    return Promise.resolve();
  },
};

export const workspace = {
  settings: new Map<string, unknown>(),
  opened: [] as { language: string; content: string }[],
  written: new Map<string, string>(),
  saved: [] as (() => Promise<void>)[],
  getConfiguration: () => ({ get: (name: string) => workspace.settings.get(name) }),
  openTextDocument(o: { language: string; content: string }) {
    workspace.opened.push(o);
    return Promise.resolve(o);
  },
  onDidSaveTextDocument(run: () => Promise<void>) {
    workspace.saved.push(run);
    return { dispose: () => workspace.saved.splice(0) };
  },
  fs: {
    writeFile(target: URL, data: Uint8Array): Promise<void> {
      workspace.written.set(target.toString(), new TextDecoder().decode(data));
      return Promise.resolve();
    },
  },
};

interface Panel {
  webview: { html: string };
  scripts: boolean;
  onDidDispose(run: () => void): void;
  dispose(): void;
}

export const window = {
  errors: [] as string[],
  panels: [] as Panel[],
  shown: [] as unknown[],
  /** answers are what the user says to dialogs: whether to take what is offered. */
  answers: [] as boolean[],
  activeTextEditor: undefined as undefined | { document: { uri: URL } },
  showTextDocument(document: unknown): Promise<void> {
    window.shown.push(document);
    return Promise.resolve();
  },
  showErrorMessage(text: string): Promise<void> {
    window.errors.push(text);
    return Promise.resolve();
  },
  showSaveDialog(o: { defaultUri: URL }): Promise<URL | undefined> {
    return Promise.resolve(window.answers.shift() ? o.defaultUri : undefined);
  },
  createWebviewPanel(_type: string, _title: string, _column: number, o: { enableScripts: boolean }): Panel {
    const closing: (() => void)[] = [];
    const panel = {
      webview: { html: "" },
      scripts: o.enableScripts,
      onDidDispose: (run: () => void) => void closing.push(run),
      dispose: () => closing.forEach((run) => run()),
    };
    window.panels.push(panel);
    return panel;
  },
};

export const Uri = {
  parse: (text: string): URL => new URL(text),
  joinPath: (base: URL, ...parts: string[]): URL => new URL(parts.join("/").replace(/^\.\.\//, ""), base),
};

export const ViewColumn = { Beside: -2 };
