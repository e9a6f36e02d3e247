// The part of VS Code's API that the extension uses, and what it did with it:
// the real one exists in VS Code only.
export const commands = {
  registered: new Map<string, (...args: unknown[]) => unknown>(),
  executed: [] as string[],
  registerCommand(name: string, run: (...args: unknown[]) => unknown) {
    commands.registered.set(name, run);
    return { dispose() {} };
  },
  async executeCommand(name: string) {
    commands.executed.push(name);
  },
};

export const workspace = {
  settings: new Map<string, string>(),
  opened: [] as { language: string; content: string }[],
  getConfiguration: () => ({ get: (name: string) => workspace.settings.get(name) }),
  async openTextDocument(o: { language: string; content: string }) {
    workspace.opened.push(o);
    return o;
  },
};

export const window = {
  errors: [] as string[],
  panels: [] as { webview: { html: string }; scripts: boolean }[],
  activeTextEditor: undefined as undefined | { document: { uri: URL } },
  async showTextDocument() {},
  async showErrorMessage(text: string) {
    window.errors.push(text);
  },
  createWebviewPanel(_type: string, _title: string, _column: number, o: { enableScripts: boolean }) {
    const panel = { webview: { html: "" }, scripts: o.enableScripts };
    window.panels.push(panel);
    return panel;
  },
};

export const ViewColumn = { Beside: -2 };
