/** What a click on the meter offers. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { meterCommands } from "../../src/meter/status";
import { commands, Uri, window } from "../fakes/vscode";
import { chatOf, houseOf, settled } from "./made";

const usual = { window: { ...window }, commands: { ...commands } };

afterEach(() => {
  Object.assign(window, usual.window);
  Object.assign(commands, usual.commands);
});

interface Row {
  readonly label: string;
}

function staged(trouble?: Fault) {
  const told = { rows: [] as Row[], title: "", ran: [] as unknown[], did: [] as string[] };
  const chats = {
    inUse: trouble ? undefined : chatOf(),
    isPicked: false,
    trouble,
    lookAgain: () => told.did.push("lookAgain"),
    pick: async () => told.did.push("pick"),
    measureNewest: async () => told.did.push("measureNewest"),
  };
  const server = { setUp: async () => told.did.push("setUp") };
  commands.executeCommand = async (...given: unknown[]) => told.ran.push(given);
  const offered = meterCommands(houseOf({ chats, server, context: { extensionUri: Uri.file("/extension") } }));
  return { told, chats, offered };
}

function choosing(told: { rows: Row[]; title: string }, label: string): void {
  window.showQuickPick = async (...given: unknown[]) => {
    const [rows, { title }] = given as [Row[], { title: string }];
    Object.assign(told, { rows, title });
    return rows.find((row) => row.label.endsWith(label));
  };
}

test("the title says which chat it is about and how full it is", async () => {
  const { told, offered } = staged();
  choosing(told, "nothing");
  await offered.actions?.();
  assert.deepEqual([told.title, told.ran], ["Fix the parser: 63%", []]);
});

for (const [label, command] of [
  [" Compact Chat", "compactChat.ui.compact"],
  ["Continue in New Chat", "compactChat.ui.continueNow"],
  ["Last Compaction", "compactChat.ui.checkLast"],
  ["Measure…", "compactChat.ui.pickChat"],
  ["History", "compactChat.ui.history"],
] as const) {
  test(`“${label.trim()}” runs ${command}`, async () => {
    const { told, offered } = staged();
    choosing(told, label);
    await offered.actions?.();
    assert.deepEqual(told.ran, [[command]]);
  });
}

test("where a chat was picked the way back is among the actions", async () => {
  const { told, chats, offered } = staged();
  chats.isPicked = true;
  choosing(told, "Newest Chat");
  await offered.actions?.();
  assert.deepEqual(told.ran, [["compactChat.ui.measureNewest"]]);
  await offered.measureNewest?.();
  assert.deepEqual(told.did, ["measureNewest"]);
});

test("the example is the chat that came with the extension", async () => {
  const { told, offered } = staged();
  await offered.openExample?.();
  const [[command, example]] = told.ran as [[string, Uri]];
  assert.deepEqual([command, example.path], ["compactChat.ui.compact", "/extension/example/bakery.jsonl"]);
});

test("the settings open at ours", async () => {
  const { told, offered } = staged();
  choosing(told, "Settings");
  await offered.actions?.();
  assert.deepEqual(told.ran, [["workbench.action.openSettings", "@ext:compact-chat.compact-chat"]]);
});

test("where the server is not set up a click leads there, and then the meter looks again", async () => {
  const { told, offered } = staged(new Fault("notSetUp", "The server is not set up yet."));
  await offered.actions?.();
  assert.deepEqual(told.did, ["setUp", "lookAgain"]);
});

test("where the chat cannot be measured a click says why, with the button that helps", async () => {
  const said: unknown[] = [];
  const say = async (...given: unknown[]) => said.push(given[0]) && given[1];
  Object.assign(window, { showErrorMessage: say, showWarningMessage: say, showInformationMessage: say });
  const { told, offered } = staged(new Fault("chatUnreadable", "The chat cannot be read."));
  await offered.actions?.();
  assert.deepEqual([said, told.did], [["The chat cannot be read."], ["lookAgain"]]);
  await settled();
  assert.deepEqual(told.ran, [["compactChat.ui.pickChat"]]);
});

test("the choice of the chat to measure is that of the chats", async () => {
  const { told, offered } = staged();
  await offered.pickChat?.();
  assert.deepEqual(told.did, ["pick"]);
});
