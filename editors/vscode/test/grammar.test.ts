import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { createOnigScanner, createOnigString, loadWASM } from "vscode-oniguruma";
import { INITIAL, type IGrammar, Registry } from "vscode-textmate";
import manifest from "../package.json";

const contributed = manifest.contributes.grammars[0];

/** load reads the grammar as VS Code does. */
async function load(): Promise<IGrammar> {
  const wasm = readFileSync(createRequire(resolve("package.json")).resolve("vscode-oniguruma/release/onig.wasm"));
  await loadWASM(wasm);
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: () => Promise.resolve(JSON.parse(readFileSync(contributed.path, "utf8"))),
  });
  return (await registry.loadGrammar(contributed.scopeName))!;
}

/** scopes are the innermost scopes of a text, by the words that have one. */
function scopes(grammar: IGrammar, text: string): [string, string][] {
  const out: [string, string][] = [];
  let state = INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const word = line.slice(token.startIndex, token.endIndex).trim();
      if (word !== "" && token.scopes.length > 1) {
        out.push([word, token.scopes.at(-1)!.replace(/\.cue$/, "")]);
      }
    }
  }
  return out;
}

test("the parts of a manifest have their colours", async () => {
  const grammar = await load();
  const tests: [string, [string, string][]][] = [
    ["// a: 1", [["// a: 1", "comment.line.double-slash"]]],
    ["package x", [["package", "keyword.control"]]],
    ["#Artifact: k.#Service", [["#Artifact", "entity.name.tag"], ["#Service", "entity.name.type"]]],
    ["port: *8080 | int", [["port", "entity.name.tag"], ["*", "keyword.operator"], ["8080", "constant.numeric"], ["|", "keyword.operator"], ["int", "support.type"]]],
    [`"a-b"?: true`, [[`"a-b"`, "entity.name.tag"], ["?", "keyword.operator"], ["true", "constant.language"]]],
    [`x: "a \\(y) b"`, [
      ["x", "entity.name.tag"], [`"`, "string.quoted.double"], ["a", "string.quoted.double"],
      ["\\(", "meta.interpolation"], ["y", "meta.interpolation"], [")", "meta.interpolation"],
      ["b", "string.quoted.double"], [`"`, "string.quoted.double"],
    ]],
    [`x: """\n  // text\n  """\ny: 1`, [["x", "entity.name.tag"], [`"""`, "string.quoted.triple"], ["// text", "string.quoted.triple"], [`"""`, "string.quoted.triple"], ["y", "entity.name.tag"], ["1", "constant.numeric"]]],
    [`string: "string"`, [["string", "entity.name.tag"], [`"`, "string.quoted.double"], ["string", "string.quoted.double"], [`"`, "string.quoted.double"]]],
  ];
  for (const [text, want] of tests) {
    assert.deepEqual(scopes(grammar, text), want, text);
  }
});

test("nothing of the examples runs into what follows", async () => {
  const grammar = await load();
  const examples = resolve("../../examples");
  const files = readdirSync(examples, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".cue"));
  assert.ok(files.length > 5);
  for (const name of files) {
    const text = readFileSync(join(examples, name), "utf8");
    assert.deepEqual(scopes(grammar, `${text}\nafter: 1`).slice(-2), [["after", "entity.name.tag"], ["1", "constant.numeric"]], name);
  }
});
