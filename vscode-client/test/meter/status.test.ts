/** The item of the status bar, painted from what the house knows. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import type { ChatInUse } from "../../src/house";
import { showMeter } from "../../src/meter/status";
import { EventEmitter, type MarkdownString, window, workspace } from "../fakes/vscode";
import { chatOf, FakeServer, houseOf, reportOf, settled } from "./made";

const usual = { workspace: { ...workspace }, window: { ...window } };

afterEach(() => {
  Object.assign(workspace, usual.workspace);
  Object.assign(window, usual.window);
});

interface Item {
  text: string;
  name: string;
  command: string;
  tooltip: MarkdownString;
  backgroundColor: { id: string } | undefined;
  accessibilityInformation: { label: string };
}

function staged() {
  const told = { shown: 0, hidden: 0, item: {} as Item };
  window.createStatusBarItem = () => {
    const counts = { show: () => told.shown++, hide: () => told.hidden++, dispose: () => {} };
    told.item = counts as unknown as Item;
    return told.item;
  };
  const [changed, writing] = [new EventEmitter<unknown>(), new EventEmitter<boolean>()];
  const chats = {
    inUse: undefined as ChatInUse | undefined,
    isPicked: false,
    trouble: undefined as Fault | undefined,
    onChanged: changed.event,
  };
  const server = new FakeServer();
  const meter = showMeter(houseOf({ chats, server, pages: { onWriting: writing.event } }));
  return { told, chats, server, meter, changed: () => changed.fire(undefined), writing };
}

test("the item has a name for the menu of the status bar, and a click offers the actions", () => {
  const { told } = staged();
  assert.deepEqual([told.item.name, told.item.command, told.shown], ["Compact Chat", "compactChat.ui.actions", 0]);
});

test("a chat in use is shown with its number, its tooltip and a sentence for screen readers", () => {
  const { told, chats, changed } = staged();
  chats.inUse = chatOf();
  changed();
  assert.deepEqual([told.item.text, told.shown, told.item.backgroundColor], ["$(fold) 63%", 1, undefined]);
  assert.ok(told.item.tooltip.value.startsWith("**Fix the parser**"));
  assert.ok(told.item.accessibilityInformation.label.includes("63 percent full"));
});

test("the tooltip may run our own commands and no others", () => {
  const { told, chats, changed } = staged();
  chats.inUse = chatOf();
  changed();
  const allowed = ["compact", "pickChat", "history", "measureNewest"].map((name) => `compactChat.ui.${name}`);
  assert.deepEqual((told.item.tooltip as { isTrusted?: unknown }).isTrusted, { enabledCommands: allowed });
});

for (const [percent, colour] of [
  [74, undefined],
  [75, "statusBarItem.warningBackground"],
  [90, "statusBarItem.errorBackground"],
] as const) {
  test(`at ${percent} percent the background is ${colour ?? "the usual one"}`, () => {
    const { told, chats, changed } = staged();
    chats.inUse = chatOf(reportOf({ percent }));
    changed();
    assert.equal(told.item.backgroundColor?.id, colour);
  });
}

test("what is the same is not painted again, so that an open tooltip stays", () => {
  const { told, chats, changed } = staged();
  chats.inUse = chatOf(reportOf({ percent: 40 }));
  changed();
  changed();
  assert.equal(told.shown, 1);
});

test("the item goes with the chat, and comes back with the next", () => {
  const { told, chats, changed } = staged();
  chats.inUse = chatOf();
  changed();
  chats.inUse = undefined;
  changed();
  chats.inUse = chatOf();
  changed();
  assert.deepEqual([told.shown, told.hidden], [2, 1]);
});

test("where the chat was picked the tooltip says so", () => {
  const { told, chats, changed } = staged();
  Object.assign(chats, { inUse: chatOf(), isPicked: true });
  changed();
  assert.ok(told.item.tooltip.value.includes("You picked this chat"));
});

test("while a model writes the icon turns", () => {
  const { told, chats, changed, writing } = staged();
  chats.inUse = chatOf();
  changed();
  writing.fire(true);
  assert.equal(told.item.text, "$(sync~spin) 63%");
  writing.fire(false);
  assert.equal(told.item.text, "$(fold) 63%");
});

test("a trouble is shown, and the tooltip says it", () => {
  const { told, chats, changed } = staged();
  chats.trouble = new Fault("serverFailed", "The server ended unexpectedly.");
  changed();
  assert.deepEqual(
    [told.item.text, told.item.tooltip.value],
    ["$(fold) $(warning)", "The server ended unexpectedly\\."],
  );
});

test("a meter that is not wanted shows nothing, also while a model writes", () => {
  const { told, writing } = staged();
  workspace.getConfiguration = () => ({ get: () => false }) as never;
  writing.fire(true);
  assert.equal(told.shown, 0);
});

test("the forecast comes into the tooltip when it is there", async () => {
  const { told, chats, server, changed } = staged();
  server.answers.preview = () => ({ action: "compact", after: 6000 });
  chats.inUse = chatOf();
  changed();
  assert.ok(!told.item.tooltip.value.includes("would leave"));
  await settled();
  assert.ok(told.item.tooltip.value.includes("Compacting would leave about 3%."));
});
