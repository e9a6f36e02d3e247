import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as vscode from "vscode";
import manifest from "../package.json";
import { activate, deactivate } from "../src/extension";
import { escape, links, page, svg } from "../src/topology";
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

const run = (name: string, ...args: unknown[]) => fake.commands.registered.get(name)!(...args);

test("every command of the manifest is registered", () => {
  assert.deepEqual([...fake.commands.registered.keys()].sort(), manifest.contributes.commands.map((c) => c.command).sort());
});

test("the solution is shown beside the deployment", async () => {
  await run("kumiki.showSolution", deployment);
  assert.deepEqual(fake.window.errors, []);
  const shown = fake.workspace.opened.at(-1)!;
  assert.equal(shown.language, "json");
  assert.ok(JSON.parse(shown.content).deployments.shop);
});

test("the topology is drawn, without scripts", async () => {
  await run("kumiki.topology", deployment);
  const panel = fake.window.panels.at(-1)!;
  assert.equal(panel.scripts, false);
  assert.match(panel.webview.html, /shop\.api/);
  assert.match(panel.webview.html, /default-src 'none'/);
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
