/** The page says before and after, what survives and what is lost, and nothing in a chat can change its form. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf } from "../../src/page/body";
import { spotsIn } from "../../src/page/sheet";
import { joined, report, reportWhileWriting, type Told } from "../../src/page/text";
import { l10n } from "../fakes/vscode";
import { compactionOf, KEY, ODD, survivalOf } from "./made";

function told(change: Partial<Told> = {}): Told {
  const compaction = change.compaction ?? compactionOf();
  const { survival, continuation: body } = compaction;
  return {
    key: KEY,
    title: "A chat",
    tool: "claude-code",
    compaction,
    body,
    survival,
    state: "checked",
    l10n,
    language: "en",
    ...change,
  };
}

test("the first lines name the chat, the tokens before and after and of the text below, who wrote the summary, and where it is from", () => {
  const { lines } = report(told());
  assert.equal(lines[0], "# A chat");
  assert.equal(lines[2], "**128,412 → 4,210 tokens** (96% less), of which about 44 are the text below");
  assert.equal(lines[3], "The summary was made on this machine without a model · from Claude Code, 412 messages");
});

test("what no compaction changes is told, since it makes a good one look poor", () => {
  const { lines } = report(told({ compaction: compactionOf({ counts: { ...compactionOf().counts, fixed: 3_900 } }) }));
  assert.match(lines[2] ?? "", /, of which about 310 are the text below and 3,900 what Claude Code itself sends$/);
});

test("what is left beside the fixed part is the text below, so that the parts make up the whole, also of an edit", () => {
  const { continuation, counts } = compactionOf();
  const compaction = compactionOf({ counts: { ...counts, fixed: 3_900 } });
  const { lines } = report(told({ compaction, body: `${continuation}${continuation}` }));
  assert.match(lines[2] ?? "", /→ about 4,5\d\d tokens\*\* .*of which about 6[12]0 are the text below and 3,900 what/);
});

test("a chat that almost stays as it is wins little, which is said", () => {
  const worth = (after: number) =>
    report(told({ compaction: compactionOf({ before: 15_686, after }) })).lines.join("\n");
  assert.match(worth(15_626), /Little is won/);
  assert.doesNotMatch(worth(9_000), /Little is won/);
});

test("an edited message has about as many tokens more as it is longer, and its share is that much more", () => {
  const { lines } = report(told({ body: `${compactionOf().continuation}${"x".repeat(40_000)}` }));
  assert.match(lines[2] ?? "", /→ about 14,210 tokens\*\* \(88% less\), of which about 10,000 are the text below/);
});

test("an edit that outgrows the chat is told as one, and signs of three bytes count as such", () => {
  const { lines } = report(told({ body: `${compactionOf().continuation}${"語".repeat(400_000)}` }));
  assert.match(lines[2] ?? "", /→ about 304,210 tokens\*\* \(136% more\)/);
});

test("a title is spoilt by no more escapes than it needs", () => {
  const title = "Why does manual_commit_logs -> foo & bar #3 | cat fail? _so_ *bold* &amp;";
  const { lines } = report(told({ title }));
  assert.equal(lines[0], "# Why does manual_commit_logs -> foo & bar #3 | cat fail? \\_so\\_ \\*bold\\* \\&amp;");
});

test("each writer is named", () => {
  const by = (provider: string, model: string | null) =>
    report(told({ compaction: compactionOf({ provider, model }) })).lines[3];
  assert.match(by("anthropic", "claude-haiku-5-5") ?? "", /written by claude-haiku-5-5 of Anthropic/);
  assert.match(by("editor", "gpt_6*") ?? "", /written by gpt_6\\\*, a model of this editor/);
  assert.match(by("none", null) ?? "", /cut by rules/);
});

test("each class has a line, and its lost facts stand below it with their links", () => {
  const { lines } = report(told({ survival: survivalOf({ commands: ["make test"], readFiles: [] }) }));
  const start = lines.indexOf("- Commands: 1 of 2; lost or cut short:");
  assert.equal(lines[start + 1], "  - `make test` [show] [put back]");
  assert.equal(lines[start + 2], "- Files that were read: 1 of 1");
});

test("a fact of no message has no link to one", () => {
  const survival = survivalOf({ commands: ["make"] });
  const classes = survival.classes.map((one) => ({
    ...one,
    lost: [{ id: "commands:0", text: "make", message: null }],
  }));
  assert.ok(report(told({ survival: { ...survival, classes } })).lines.includes("  - `make` [put back]"));
});

test("of many lost facts of a class eight are listed, and the others counted", () => {
  const { lines, spots } = report(
    told({ survival: survivalOf({ commands: Array.from({ length: 31 }, (_, n) => `make ${n}`) }) }),
  );
  assert.equal(lines.filter((line) => line.startsWith("  - `")).length, 8);
  assert.ok(lines.includes("  - and 23 more [show all]"));
  assert.deepEqual(spots.at(-1)?.id, "commands");
});

test("all is told as all only where nothing is lost", () => {
  const nearly = { kept: 0.9999, classes: survivalOf({ commands: ["x"] }).classes };
  assert.ok(
    report(told({ survival: nearly })).lines.includes("## What survives: 99% of what can be checked [put all back]"),
  );
  assert.ok(
    report(told({ survival: survivalOf({ commands: [] }) })).lines.includes(
      "## What survives: all that can be checked",
    ),
  );
});

test("a survey of an earlier text is told as one", () => {
  const { lines } = report(told({ survival: survivalOf({ commands: [] }), state: "checking" }));
  assert.ok(lines.some((line) => line.includes("before your last edit")));
});

test("nothing in a title, a warning or a lost fact makes a line of its own or markup", () => {
  const plain = report(told({ survival: survivalOf({ commands: ODD.map(() => "x") }) })).lines.length;
  for (const title of ODD) {
    const warnings = [{ code: "brokenFile", message: title }];
    const { lines } = report(
      told({ title, compaction: compactionOf({ warnings }), survival: survivalOf({ commands: ODD }) }),
    );
    assert.equal(lines.length, plain + 2);
    assert.ok(lines.every((line) => !/[\n\r\u2028\u202e\p{Cs}]/u.test(line)));
    assert.doesNotMatch(lines[0] ?? "", /(?<!\\)[[<`]/);
  }
});

test("a lost fact keeps its own ticks inside its code span", () => {
  const { lines } = report(told({ survival: survivalOf({ commands: ["`` two ticks `"] }) }));
  assert.ok(lines.includes("  - ``` `` two ticks ` ``` [show] [put back]"));
});

test("a long fact is cut, so that its links stay in sight", () => {
  const { lines } = report(told({ survival: survivalOf({ commands: ["x".repeat(10_000)] }) }));
  assert.ok(lines.every((line) => line.length < 200));
});

test("warnings of one sort are told once, with their number", () => {
  const warnings = Array.from({ length: 3 }, (_, line) => ({
    code: "damagedLine",
    message: `Line ${line} is damaged.`,
  }));
  const { lines } = report(told({ compaction: compactionOf({ warnings }) }));
  assert.deepEqual(
    lines.filter((line) => line.startsWith("> ")),
    ["> Line 0 is damaged. (and 2 more like this)"],
  );
});

test("a chat that was only cut says that there is no summary, and offers nothing to put back", () => {
  const compaction = compactionOf({ summary: "", provider: "none" });
  const { lines, spots } = report(told({ compaction, survival: survivalOf({ commands: ["x"] }) }));
  assert.ok(lines.some((line) => line.includes("No summary was written")));
  assert.deepEqual(
    spots.map((spot) => spot.act),
    ["show"],
  );
});

test("the message comes back out of the whole document as it was", () => {
  for (const text of ODD.map((one) => one.replace(/\r\n?/g, "\n").trimEnd())) {
    const sheet = report(told({ body: text, survival: survivalOf({ commands: ODD }) }));
    assert.equal(bodyOf(joined(sheet, text), KEY, sheet.lines), text);
    const writing = reportWhileWriting(told(), text);
    assert.equal(bodyOf(joined(writing, text), KEY, writing.lines), text);
  }
});

test("each link is found at its words, also after lines were added and taken away above it", () => {
  const sheet = report(told({ survival: survivalOf({ commands: ["make", "make"], errors: ["make"] }) }));
  const lines = ["new", ...sheet.lines.slice(1)];
  const found = spotsIn(lines, sheet);
  assert.equal(found.length, sheet.spots.length);
  for (const { line, start, length, act } of found) {
    assert.equal(
      lines[line]?.slice(start, start + length),
      { show: "[show]", putBack: "[put back]", allBack: "[put all back]", all: "" }[act],
    );
  }
  assert.deepEqual(
    found.map((spot) => spot.id),
    sheet.spots.map((spot) => spot.id),
  );
});

test("a line that a person changed has no links any more", () => {
  const sheet = report(told({ survival: survivalOf({ commands: ["make"] }) }));
  const changed = sheet.lines.map((line) => line.replace("make", "made"));
  const acts = spotsIn(changed, sheet).map((spot) => spot.act);
  assert.deepEqual(acts, ["allBack"]);
});
