/** The item of the status bar: what it shows by what is known, and that it is painted only when that changes. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { type Seen, showMeter, view } from "../../src/meter/status";
import { EventEmitter, l10n, window, workspace } from "../fakes/vscode";
import { chatOf, houseOf, reportOf } from "./made";

const usual = { workspace: { ...workspace }, window: { ...window } };

afterEach(() => {
  Object.assign(workspace, usual.workspace);
  Object.assign(window, usual.window);
});

const NOTHING: Seen = {
  inUse: undefined,
  isPicked: false,
  trouble: undefined,
  recorded: undefined,
  isWriting: false,
  thresholds: { warning: 75, error: 90 },
  versions: "Compact Chat 1.2.3",
  version: "1.139.1",
  language: "en",
};
const textOf = (given: Partial<Seen>) => view({ ...NOTHING, ...given }, l10n)?.text;
const inUse = chatOf();
const notSetUp = new Fault("notSetUp", "Not set up.");

for (const [what, given, text] of [
  ["nothing", {}, undefined],
  ["a chat", { inUse }, "✳ Claude 63%"],
  ["a chat of an unknown tool", { inUse: chatOf(reportOf({ tool: "unknown" })) }, "✳ 63%"],
  ["a picked chat", { inUse, isPicked: true }, "$(pin) Claude 63%"],
  ["a model that writes", { inUse, isWriting: true }, "$(sync~spin) Claude 63%"],
  ["a missing server", { trouble: notSetUp }, "✳ Compact Chat: Set Up"],
  ["a chat's own record", { trouble: notSetUp, recorded: { tool: "codex", percent: 41 } }, "✳ Codex ~41%"],
  ["a fault", { trouble: new Fault("serverFailed", "It stopped.") }, "✳ $(warning)"],
  ["a folder that is not trusted", { trouble: new Fault("notTrusted", "No.") }, undefined],
] as const) {
  test(`with ${what} the item shows ${text ?? "nothing"}`, () => {
    assert.equal(textOf(given), text);
  });
}

interface Item {
  name: string;
  command: string;
  text: string;
  tooltip: { isTrusted: { enabledCommands: string[] } };
  backgroundColor: { id: string } | undefined;
}

function staged() {
  const seen = { shown: 0, hidden: 0, item: {} as Item };
  window.createStatusBarItem = () => {
    seen.item = { show: () => seen.shown++, hide: () => seen.hidden++, dispose: () => {} } as unknown as Item;
    return seen.item;
  };
  const changed = new EventEmitter<unknown>();
  const chats = { inUse: undefined as unknown, isPicked: false, trouble: undefined, onChanged: changed.event };
  const quiet = { onWriting: new EventEmitter<boolean>().event };
  const context = { extension: { packageJSON: { version: "1.2.3" } } };
  showMeter(houseOf({ chats, context, server: { version: undefined }, pages: quiet, screens: quiet }));
  return {
    seen,
    show: (percent?: number) => {
      chats.inUse = percent === undefined ? undefined : chatOf(reportOf({ percent }));
      changed.fire(undefined);
    },
  };
}

test("it is painted when something changed, with a background when it matters, and goes with the chat", () => {
  const { seen, show } = staged();
  assert.deepEqual([seen.item.name, seen.item.command], ["Compact Chat", "compactChat.ui.actions"]);
  show(40);
  show(40);
  assert.deepEqual([seen.shown, seen.item.backgroundColor], [1, undefined]);
  show(80);
  assert.equal(seen.item.backgroundColor?.id, "statusBarItem.warningBackground");
  show(95);
  assert.equal(seen.item.backgroundColor?.id, "statusBarItem.errorBackground");
  assert.ok(seen.item.tooltip.isTrusted.enabledCommands.every((name) => name.startsWith("compactChat.ui.")));
  show();
  assert.deepEqual([seen.shown, seen.hidden], [3, 1]);
});

test("a meter that is not wanted shows nothing", () => {
  const { seen, show } = staged();
  workspace.getConfiguration = () => ({ get: () => false }) as never;
  show(40);
  assert.equal(seen.shown, 0);
});
