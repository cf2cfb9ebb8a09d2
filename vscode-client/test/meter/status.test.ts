/** The item of the status bar: what it shows by what is known, and that it is painted only when that changes. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import type { Chats } from "../../src/meter/chats";
import { LINKED, showMeter, view } from "../../src/meter/status";
import type { TokenReport } from "../../src/wire";
import { EventEmitter, window, workspace } from "../fakes/vscode";
import { chatOf, houseOf, reportOf } from "./made";

const usual = { workspace: { ...workspace }, window: { ...window } };

afterEach(() => {
  Object.assign(workspace, usual.workspace);
  Object.assign(window, usual.window);
});

type Seen = Pick<Chats, "inUse" | "isPicked" | "trouble" | "recorded"> & { isWriting: boolean };

const NOTHING: Seen = { inUse: undefined, isPicked: false, trouble: undefined, recorded: undefined, isWriting: false };
const seen = (given: Partial<Seen>) => view({ ...NOTHING, ...given }, given.isWriting === true, "Compact Chat 1.2.3");
const textOf = (given: Partial<Seen>) => seen(given)?.text;
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

const PARTS = { fixed: 21_000, user: 4000, assistant: 10_000, toolCalls: 5000, toolResults: 80_000, images: 500 };
const FULL = reportOf({
  parts: PARTS,
  limit: { tokens: 167_000, basis: "rule" },
  percentOfLimit: 75.4,
  turnsLeft: { low: 3, high: 5 },
});

const linesOf = (report: TokenReport, isPicked = false) =>
  (seen({ inUse: chatOf(report), isPicked })?.markdown ?? "").split("  \n");

test("a full report fits on six lines", () => {
  assert.deepEqual(linesOf(FULL), [
    "**Fix the parser** · **Claude Code**",
    "▰▰▰▰▰▰▰▰▱▱ 75% · 126k of 167k tokens · measured",
    "tool results 80k · system and tools 21k · answers 10k · tool calls 5k",
    "auto-compacts at ≈167k · ≈ 3 to 5 turns left",
    "[Compact and Continue](command:compactChat.ui.continueNow) · [Compact Chat](command:compactChat.ui.compact) · [Choose Chat…](command:compactChat.ui.pickChat)",
    "Compact Chat 1.2.3",
  ]);
});

test("whatever a report says, there are at most six lines, and its links are those that may run", () => {
  const warnings = [{ code: "x", message: "A [line](command:evil) is damaged." }];
  const odd = reportOf({ title: "*Bold* [x](command:evil) $(bug)", warnings, basis: "estimated" });
  for (const report of [FULL, odd, reportOf({ used: 0, percent: 0 }), reportOf({ windowsPossible: [1000, 9000] })]) {
    for (const isPicked of [false, true]) {
      const lines = linesOf(report, isPicked);
      assert.ok(lines.length <= 6);
      const linked = Array.from(lines.join().matchAll(/[^\\]\]\(command:([\w.]+)\)/g), ([, command]) => command ?? "");
      assert.deepEqual(
        linked.filter((command) => !LINKED.includes(command)),
        [],
      );
    }
  }
});

test("what is not sure is said to be estimated, with both windows where two are possible", () => {
  assert.match(linesOf(reportOf({ basis: "estimated" }))[1] ?? "", /estimated/);
  assert.match(linesOf(reportOf({ windowsPossible: [200_000, 1_000_000] }))[1] ?? "", /200k.*1M/);
});

test("a picked chat can be left again", () => {
  assert.match(linesOf(FULL, true).join(), /compactChat\.ui\.measureNewest/);
});

test("who does not see it hears title, percentage, tokens, and whether it was picked", () => {
  const text = seen({ inUse: chatOf(FULL), isPicked: true })?.spoken ?? "";
  for (const part of ["Fix the parser", "75%", "126,000", "167,000", "picked"]) {
    assert.ok(text.includes(part), part);
  }
});
