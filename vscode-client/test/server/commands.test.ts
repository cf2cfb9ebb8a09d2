/** The commands around the key: where it goes, and where it does not. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { House } from "../../src/house";
import { serverCommands } from "../../src/server/commands";
import { window } from "../fakes/vscode";
import { type FakeContext, fakeContext } from "./workshop";

interface Box {
  readonly password: boolean;
  readonly validateInput: (text: string) => { severity: number } | undefined;
}

let fakes: FakeContext;
let boxes: Box[];
let said: unknown[];
let typed: string | undefined;

beforeEach(() => {
  [fakes, boxes, said] = [fakeContext("/storage"), [], []];
  window.showInputBox = async (...given: unknown[]) => {
    boxes.push(given[0] as Box);
    return typed;
  };
  window.showInformationMessage = async (sentence: unknown) => said.push(sentence);
});

const run = (name: string) => (serverCommands({ context: fakes.context } as House)[name] as () => Promise<void>)();

test("a typed key is hidden, goes into the secret storage without blanks around it, and a sentence says so", async () => {
  typed = " sk-ant-1\n";
  await run("setApiKey");
  assert.equal(boxes[0]?.password, true);
  assert.deepEqual([...fakes.secrets], [["anthropicApiKey", "sk-ant-1"]]);
  assert.match(String(said[0]), /secret storage/);
});

test("who types nothing changes nothing", async () => {
  for (typed of [undefined, " "]) {
    await run("setApiKey");
  }
  assert.equal(fakes.secrets.size, 0);
  assert.deepEqual(said, []);
});

test("an impossible key is refused, an unusual one only remarked on", async () => {
  await run("setApiKey");
  const severity = (text: string) => boxes[0]?.validateInput(text)?.severity;
  assert.deepEqual(["", "two words", "gateway-key", `sk-ant-${"x".repeat(30)}`].map(severity), [
    undefined,
    3,
    2,
    undefined,
  ]);
});

test("a removed key is gone, and a sentence says whether there was one", async () => {
  fakes.secrets.set("anthropicApiKey", "sk-ant-1");
  await run("removeApiKey");
  await run("removeApiKey");
  assert.equal(fakes.secrets.size, 0);
  assert.deepEqual(said, ["The key is removed.", "There was no key."]);
});
