/** Going on in a new chat. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { onwardCommands } from "../../src/onward/commands";
import { continueFrom } from "../../src/onward/continuing";
import * as vscode from "../fakes/vscode";
import { madeHouse, madePage, type Recorded, recordedEditor } from "./made";

let recorded: Recorded;

beforeEach(() => {
  recorded = recordedEditor();
});

test("the text as it stands on the page comes into the input of a new chat, and is not sent; what comes next has a line of its own", async () => {
  await continueFrom(madeHouse(recorded, { body: "\nWhat I made of it.\n\n" }), madePage());
  assert.deepEqual(recorded.commands, [
    ["workbench.panel.chat.view.copilot.focus"],
    ["workbench.action.chat.newLocalChat"],
    ["workbench.action.chat.open", { query: "What I made of it.\n\n", isPartialQuery: true }],
  ]);
});

test("what was edited is archived too, which nobody waits for, and no fault of which is told", async () => {
  for (const settled of [async () => ({}), () => Promise.reject(new Fault("noGain", "Nothing was won."))]) {
    const house = madeHouse(recorded, { body: "What I made of it." });
    let asked = 0;
    Object.assign(house.pages, { settled: () => ++asked && settled() });
    await continueFrom(house, madePage());
    assert.equal(asked, 1);
  }
  assert.deepEqual(recorded.told, []);
});

test("an editor that knows neither local chats nor the name of its panel opens it before the new chat", async () => {
  vscode.commands.getCommands = async () => ["workbench.action.chat.newChat"];
  await continueFrom(madeHouse(recorded), madePage());
  const names = recorded.commands.map(([name]) => name);
  assert.deepEqual(names, [
    "workbench.action.chat.open",
    "workbench.action.chat.newChat",
    "workbench.action.chat.open",
  ]);
});

test("without a chat panel the text is copied, with one sentence that says so", async () => {
  vscode.extensions.all = [];
  await continueFrom(madeHouse(recorded, { body: "Go on." }), madePage());
  assert.deepEqual(recorded.commands, []);
  assert.deepEqual(recorded.copied, ["Go on."]);
  assert.equal(recorded.told.length, 1);
});

test("a user who switched the editor's AI features off has no chat panel", async () => {
  Object.assign(vscode.workspace, {
    getConfiguration: () => ({ get: (name: string) => name === "disableAIFeatures" }),
  });
  await continueFrom(madeHouse(recorded, { body: "Go on." }), madePage());
  assert.deepEqual(recorded.copied, ["Go on."]);
});

test("an empty message opens no chat", async () => {
  const going = continueFrom(madeHouse(recorded, { body: " \n" }), madePage());
  await assert.rejects(going, (problem: Fault) => problem instanceof Fault && problem.kind === "noMessage");
  assert.deepEqual(recorded.commands, []);
});

test("a command about a page says what is missing where there is none", async () => {
  const run = onwardCommands(madeHouse(recorded)).continue as (uri?: string) => Promise<void>;
  await assert.rejects(run("compact-chat:/x/y.md"), (problem: Fault) => problem.kind === "noPage");
});

test("while a model writes on the page, what it has not written yet is not continued", async () => {
  const house = madeHouse(recorded);
  Object.assign(house.pages, { of: async () => ({ ...madePage(), isWriting: true }) });
  for (const run of Object.values(onwardCommands(house)).slice(0, 3) as (() => Promise<void>)[]) {
    await assert.rejects(run(), (problem: Fault) => problem.kind === "busy");
  }
  assert.deepEqual([recorded.asked, recorded.commands], [[], []]);
});

test("a user who picks no chat gets neither a page nor a new chat", async () => {
  const run = onwardCommands(madeHouse(recorded)).continueNow as () => Promise<void>;
  await run();
  assert.deepEqual([recorded.asked, recorded.commands], [[], []]);
});
