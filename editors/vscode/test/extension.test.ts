import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as vscode from "vscode";
import manifest from "../package.json";
import { activate, deactivate, options, server } from "../src/extension";
import { escape, links, page, svg } from "../src/topology";
import { LanguageClient } from "./languageclient";
import * as fake from "./vscode";

const root = resolve(".", "../..");
const dir = mkdtempSync(join(tmpdir(), "kumiki-vscode-"));
const deployment = pathToFileURL(join(root, "examples/shop/deploy/deployment.cue")).toString();
const context = { subscriptions: [] } as unknown as vscode.ExtensionContext;

before(async () => {
  const binary = join(dir, "kumiki");
  execFileSync("go", ["build", "-o", binary, "./cmd/kumiki"], { cwd: root });
  fake.workspace.settings.set("path", binary);
  await activate(context);
});

after(async () => {
  await deactivate();
  rmSync(dir, { recursive: true, force: true });
});

const run = (name: string, ...args: unknown[]): unknown => fake.commands.registered.get(name)?.(...args);

test("every command of the manifest is registered", () => {
  assert.deepEqual([...fake.commands.registered.keys()].sort(), manifest.contributes.commands.map((c) => c.command).sort());
});

test("activation waits for the first CUE file", () => {
  assert.deepEqual(manifest.activationEvents, ["onLanguage:cue"]);
  assert.equal(manifest.contributes.languages[0]?.id, "cue");
});

test("the settings say what is started, and with what", () => {
  const binary = fake.workspace.settings.get("path");
  assert.deepEqual(server(), { command: binary, args: ["lsp"] });
  fake.workspace.settings.delete("path");
  assert.deepEqual(server(), { command: "kumiki", args: ["lsp"] });
  fake.workspace.settings.set("path", binary);
  assert.deepEqual(options().initializationOptions, { modules: [] });
  fake.workspace.settings.set("modules", ["../others"]);
  assert.deepEqual(options().initializationOptions, { modules: ["../others"] });
  fake.workspace.settings.delete("modules");
  assert.deepEqual(Object.keys(manifest.contributes.configuration.properties), ["kumiki.path", "kumiki.modules"]);
});

test("every lens of the server is a command of the manifest", async () => {
  const client = new LanguageClient("", "", server() as { command: string; args: string[] });
  await client.start();
  const text = readFileSync(new URL(deployment), "utf8");
  client.notify("textDocument/didOpen", { textDocument: { uri: deployment, languageId: "cue", version: 1, text } });
  const lenses = await client.sendRequest<{ command: { command: string } }[]>("textDocument/codeLens", { textDocument: { uri: deployment } });
  await client.stop();
  assert.deepEqual(lenses.map((l) => l.command.command), ["kumiki.compile", "kumiki.showSolution", "kumiki.topology"]);
  for (const lens of lenses) {
    assert.ok(fake.commands.registered.has(lens.command.command));
  }
});

test("a solution is written where the user says, and nowhere else", async () => {
  fake.window.answers = [false, true];
  await run("kumiki.compile", deployment);
  assert.equal(fake.workspace.written.size, 0);
  await run("kumiki.compile", deployment);
  const target = new URL("solution.json", deployment).toString();
  assert.deepEqual([...fake.workspace.written.keys()], [target]);
  const compiled = execFileSync(fake.workspace.settings.get("path") as string, ["compile", fileURLToPath(new URL(".", deployment))], { encoding: "utf8" });
  assert.equal(fake.workspace.written.get(target), compiled);
});

test("the solution is shown beside the deployment", async () => {
  await run("kumiki.showSolution", deployment);
  assert.deepEqual(fake.window.errors, []);
  const shown = fake.workspace.opened.at(-1)!;
  assert.equal(shown.language, "json");
  assert.ok("shop" in (JSON.parse(shown.content) as { deployments: object }).deployments);
});

test("the topology is drawn, without scripts", async () => {
  await run("kumiki.topology", deployment);
  const panel = fake.window.panels.at(-1)!;
  assert.equal(panel.scripts, false);
  assert.match(panel.webview.html, /shop\.api/);
  assert.match(panel.webview.html, /default-src 'none'/);
});

test("an open topology is drawn anew when something is saved, in the same panel", async () => {
  const panel = fake.window.panels.at(-1)!;
  const drawn = panel.webview.html;
  panel.webview.html = "";
  await fake.workspace.saved[0]?.();
  assert.equal(panel.webview.html, drawn);
  await run("kumiki.topology", deployment);
  assert.equal(fake.window.panels.length, 1);
  panel.dispose();
  await run("kumiki.topology", deployment);
  assert.equal(fake.window.panels.length, 2);
});

test("the problems are the editor's to show", async () => {
  await run("kumiki.problems");
  assert.deepEqual(fake.commands.executed, ["workbench.actions.view.problems"]);
});

test("without a deployment, the user is told", async () => {
  await run("kumiki.showSolution");
  assert.match(fake.window.errors.at(-1)!, /open a deployment first/);
  await run("kumiki.topology", pathToFileURL(join(root, "README.md")).toString());
  assert.equal(fake.window.errors.length, 2);
});

test("the server can be restarted", async () => {
  await run("kumiki.restart");
  await run("kumiki.showSolution", deployment);
  assert.equal(fake.workspace.opened.length, 2);
});

test("links may be circular", () => {
  const list = links({
    deployments: {
      a: { artifact: { description: { connector: {
        loop: { clients: [{ role: "x" }], servers: [{ links: [{ role: "y" }] }] },
        back: { clients: [{ role: "y" }], servers: [{ links: [{ role: "x" }, { role: "self" }] }] },
      } } } },
      b: { artifact: {} },
    },
  });
  assert.deepEqual(list, [
    { from: "a.y", to: "a.x", connector: "back" },
    { from: "a.y", to: "a", connector: "back" },
    { from: "a.x", to: "a.y", connector: "loop" },
  ]);
  assert.match(svg(list), /^<svg .*<\/svg>$/);
});

test("names are no markup", () => {
  assert.equal(escape(`<a href="x">`), "&#60;a href=&#34;x&#34;&#62;");
  assert.match(page(`{"deployments": {}}`), /Nothing is connected/);
});
