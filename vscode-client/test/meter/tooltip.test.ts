/** What the tooltip and the screen reader say of a report. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { reading } from "../../src/meter/reading";
import { LINKED, spoken, type Told, tooltip } from "../../src/meter/tooltip";
import type { TokenReport } from "../../src/wire";
import { ENGLISH, reportOf } from "./made";

const ALL_PARTS = {
  fixed: 21_000,
  summary: 1000,
  user: 4000,
  assistant: 10_000,
  toolCalls: 5000,
  toolResults: 80_000,
  thinking: 4500,
  images: 500,
};

function told(report: TokenReport, after?: number, isPicked = false): Told {
  return { report, reading: reading(report, "1.139.1"), isPicked, after, ...ENGLISH };
}

function rows(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("|"));
}

test("a measured chat is told with title, tool, use, window and the ways on", () => {
  assert.equal(
    tooltip(told(reportOf({ parts: { user: 126_000 } }))),
    [
      "**Fix the parser** · **Claude Code**",
      "126,000 of 200,000 tokens are used: 63%.",
      "The provider measured this. The window’s size is what is known of the model.",
      "| Part | Tokens | Share |\n|:--|--:|--:|\n| Your messages | 126,000 | 100% |",
      "[Compact Chat](command:compactChat.ui.compact) · [Choose Chat…](command:compactChat.ui.pickChat) · [History](command:compactChat.ui.history)",
    ].join("\n\n"),
  );
});

test("every part has a row of its own, the biggest first", () => {
  const [, , ...parts] = rows(tooltip(told(reportOf({ parts: ALL_PARTS }))));
  assert.deepEqual(parts, [
    "| Tool results | 80,000 | 63% |",
    "| System prompt and tools | 21,000 | 17% |",
    "| Answers | 10,000 | 8% |",
    "| Tool calls | 5,000 | 4% |",
    "| Thinking | 4,500 | 4% |",
    "| Your messages | 4,000 | 3% |",
    "| Earlier summary | 1,000 | 1% |",
    "| Images | 500 | <1% |",
  ]);
});

test("a chat of nothing has no table", () => {
  assert.deepEqual(rows(tooltip(told(reportOf({ used: 0, low: 0, high: 0, percent: 0 })))), []);
});

for (const [basis, sentence] of [
  ["measured", "The provider measured this."],
  ["anchored", "The provider measured most of this; the rest is counted."],
  ["estimated", "This is counted here; what the tool adds unseen is estimated."],
] as const) {
  test(`the tooltip says in words that a number is ${basis}`, () => {
    assert.ok(tooltip(told(reportOf({ basis }))).includes(sentence));
  });
}

for (const [windowBasis, sentence] of [
  ["setting", "The window’s size is the one in your settings."],
  ["chat", "The window’s size is what the chat says."],
  ["table", "The window’s size is what is known of the model."],
  ["default", "The window’s size is a guess, since the model is not known."],
] as const) {
  test(`the tooltip says where a window of the basis ${windowBasis} comes from`, () => {
    assert.ok(tooltip(told(reportOf({ windowBasis }))).includes(sentence));
  });
}

test("where a number is not sure, its bounds stand beside it", () => {
  const text = tooltip(told(reportOf({ basis: "estimated", low: 110_000, high: 140_000 })));
  assert.ok(text.includes("126,000 of 200,000 tokens are used: 63%. It lies between 110,000 and 140,000."));
});

test("bounds that are less than a point apart are not told", () => {
  const near = (high: number) => tooltip(told(reportOf({ low: 126_000, high }))).includes("lies between");
  assert.deepEqual([near(127_999), near(128_000)], [false, true]);
});

test("a chat of VS Code's own has its ring's numbers alone", () => {
  const hostMeter = { used: 60_000, reserved: 8000, total: 108_000, percent: 63, usedPercent: 55.6 };
  const text = tooltip(told(reportOf({ tool: "vscode", percent: 60, low: 1, hostMeter })));
  assert.ok(text.includes("60,000 of 108,000 tokens are used: 56%. VS Code’s own meter shows the same.\n"));
  assert.ok(!text.includes("lies between"));
});

test("where the tool compacts is told, with the turns that are left", () => {
  const limit = { limit: { tokens: 167_000, basis: "rule" }, percentOfLimit: 75.4 } as const;
  const text = (low: number, high: number) => tooltip(told(reportOf({ ...limit, turnsLeft: { low, high } })));
  assert.ok(text(3, 5).includes("126,000 of 167,000 tokens are used: 75%."));
  assert.ok(text(3, 5).includes("Claude Code auto-compacts at 167,000 tokens. About 3 to 5 turns are left."));
  assert.ok(text(4, 4).includes("About 4 turns are left."));
  assert.ok(text(1, 4).includes("One more turn may fill it."));
});

test("where two windows are possible both are told", () => {
  const text = tooltip(told(reportOf({ windowsPossible: [200_000, 1_000_000] })));
  assert.ok(text.includes("The context window has 200,000 or 1,000,000 tokens: nothing tells which"));
});

test("the tool's own compactions are told", () => {
  const text = (total: number, lastBefore: number | null) =>
    tooltip(told(reportOf({ compactions: { total, automatic: total, lastBefore, lastAfter: 53_595 } })));
  assert.ok(
    text(2, 157_925).includes(
      "Claude Code has compacted this chat 2 times. The last time, 157,925 tokens became 53,595.",
    ),
  );
  assert.ok(text(1, null).includes("Claude Code has compacted this chat once.\n"));
  assert.ok(!text(0, null).includes("has compacted"));
});

test("what compacting would leave is told where it is known", () => {
  assert.ok(tooltip(told(reportOf(), 4200)).includes("Compacting would leave about 2%."));
  assert.ok(!tooltip(told(reportOf())).includes("would leave"));
});

test("advice is given only where there is some", () => {
  const advised = (advice: TokenReport["advice"]) => tooltip(told(reportOf({ advice })));
  assert.ok(advised("compact").includes("It is time to compact."));
  assert.ok(advised("prune").includes("Old tool results could be cut to make room."));
  assert.ok(!/time to|make room/.test(advised("none")));
});

test("no more than two warnings are told, and nothing in them is markup", () => {
  const warnings = ["The chat *is* gone.", "Line 3 is damaged.", "A third."].map((message) => ({ code: "x", message }));
  const text = tooltip(told(reportOf({ warnings })));
  assert.ok(text.includes("The chat \\*is\\* gone\\."));
  assert.ok(text.includes("Line 3 is damaged\\."));
  assert.ok(!text.includes("A third"));
});

for (const [what, title] of [
  ["a table's sign", "a | b | c"],
  ["a link to a command", "[click](command:workbench.action.quit)"],
  ["the end of a link", "](command:x)"],
  ["an element", "<a href='command:x'>y</a>"],
  ["an image", "![x](https://e.org/x.png)"],
  ["lines", "one\n\n# two\r\n| a |\n|--|"],
  ["stars", "** · **"],
  ["an icon", "$(trash)"],
  ["10,000 characters", "x".repeat(10_000)],
  ["letters from right to left", "תקן את המפענח (1)"],
] as const) {
  test(`a title with ${what} stays one line of plain text`, () => {
    const text = tooltip(told(reportOf({ title, parts: ALL_PARTS })));
    const [first = ""] = text.split("\n\n");
    assert.ok(!first.includes("\n") && first.length < 300);
    assert.match(first, /^\*\*(?:[^*[\]()<>|#]|\\[*[\]()<>|#])+\*\* · \*\*Claude Code\*\*$/);
    assert.deepEqual(
      [...text.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map(([, link]) => link),
      LINKED.filter((name) => !name.endsWith("Newest")).map((name) => `command:${name}`),
    );
  });
}

test("of a chat that was picked that is said, with the way back to the most recently active one", () => {
  const picked = told(reportOf(), undefined, true);
  const link = "[Measure the Most Recently Active Chat](command:compactChat.ui.measureNewest)";
  assert.ok(tooltip(picked).includes(`\n\nYou picked this chat, so the meter stays with it. ${link}\n\n`));
  assert.ok(spoken(picked).endsWith("tokens. You picked this chat, so the meter stays with it."));
  assert.ok(!tooltip(told(reportOf())).includes("picked"));
});

test("a chat without a title and without a known tool is told as such", () => {
  assert.ok(tooltip(told(reportOf({ title: null, tool: "unknown" }))).startsWith("**Chat without a title**\n"));
});

test("a screen reader hears a whole sentence", () => {
  assert.equal(
    spoken(told(reportOf())),
    "The context of “Fix the parser” is 63 percent full: 126,000 of 200,000 tokens.",
  );
  assert.equal(
    spoken(told(reportOf({ basis: "estimated", title: null }))),
    "The context of “chat without a title” is about 63 percent full: 126,000 of 200,000 tokens.",
  );
});

test("a screen reader hears the numbers of VS Code's ring for its own chats", () => {
  const hostMeter = { used: 60_000, reserved: 8000, total: 108_000, percent: 63, usedPercent: 55.6 };
  assert.equal(
    spoken(told(reportOf({ tool: "vscode", percent: 60, hostMeter }))),
    "The context of “Fix the parser” is 56 percent full: 60,000 of 108,000 tokens.",
  );
});
