/** The tooltip and what a screen reader says. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { reading } from "../../src/meter/reading";
import { bar, LINKED, type Shown, short, spoken, tooltip } from "../../src/meter/tooltip";
import type { TokenReport } from "../../src/wire";
import { ENGLISH, reportOf } from "./made";

const PARTS = { fixed: 21_000, user: 4000, assistant: 10_000, toolCalls: 5000, toolResults: 80_000, images: 500 };
const FULL = reportOf({
  parts: PARTS,
  limit: { tokens: 167_000, basis: "rule" },
  percentOfLimit: 75.4,
  turnsLeft: { low: 3, high: 5 },
});

function shown(report: TokenReport, isPicked = false): Shown {
  return { report, reading: reading(report, "1.139.1"), isPicked, versions: "Compact Chat 1.2.3", ...ENGLISH };
}

const linesOf = (report: TokenReport, isPicked = false) => tooltip(shown(report, isPicked)).split("  \n");

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
  const text = spoken(shown(FULL, true));
  for (const part of ["Fix the parser", "75%", "126,000", "167,000", "picked"]) {
    assert.ok(text.includes(part), part);
  }
});

test("bars and numbers are short", () => {
  assert.deepEqual(
    [0, 0.4, 49, 100, 140].map((percent) => bar(percent)).map((text) => text.lastIndexOf("▰") + 1),
    [0, 1, 5, 10, 10],
  );
  assert.deepEqual(
    [840, 6240, 136_400].map((tokens) => short(tokens, "en")),
    ["840", "6.2k", "136k"],
  );
});
