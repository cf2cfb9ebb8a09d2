/** The commands around the key: where it goes, and where it does not. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { House } from "../../src/house";
import { serverCommands } from "../../src/server/commands";
import { commands, window } from "../fakes/vscode";
import { type FakeContext, fakeContext, until } from "./workshop";

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

const run = (name: string) => (commandsOf({ context: fakes.context })[name] as () => Promise<void>)();
const commandsOf = (house: object) => serverCommands(house as House);

/** Runs the set-up with a server that is at hand already or not; gives what was done with it. */
async function setUp(isAtHand: boolean): Promise<string[]> {
  const done: string[] = [];
  const server = {
    state: "stopped",
    isAtHand: async () => isAtHand,
    setUp: async (choosing: boolean) => done.push(`set up${choosing ? " with a chosen Python" : ""}`),
    restart: async () => done.push("started"),
  };
  await (commandsOf({ server }).setUp as () => Promise<void>)();
  return done;
}

test("a server that was set up is started too, before it is said to be set up", async () => {
  assert.deepEqual(await setUp(false), ["set up", "started"]);
  assert.deepEqual(said, ["The server of Compact Chat is set up."]);
});

test("where it was set up already, another Python can be chosen", async () => {
  const ran: unknown[][] = [];
  commands.executeCommand = async (...given: unknown[]) => ran.push(given);
  window.showInformationMessage = async (...given: unknown[]) => given[1];
  await setUp(true);
  await until("the command", () => ran.length > 0);
  assert.deepEqual(ran, [["compactChat.ui.setUp", true]]);
});

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

test("who removes the key is told of one that is left in the environment", async () => {
  process.env.ANTHROPIC_API_KEY = "sk-ant-2";
  await run("removeApiKey");
  delete process.env.ANTHROPIC_API_KEY;
  assert.match(String(said), /environment/);
});
