/** The message of the next chat is found in a page, whatever a person did to it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { belowMarker, bodyOf, isTailEdited, isUnedited, markerLine, summaryIn } from "../../src/page/body";

import { BEFORE, BEHIND, compactionOf, inLinearTime, KEY, ODD, SUMMARY } from "./made";

const REPORT = ["# Title", "", "**1 → 2 tokens** (3 %)", "", "## What survives", "- Commands: 1 of 2"];

function pageOf(body: string): string {
  return [...REPORT, "", "---", markerLine(KEY, "Everything below opens the next chat."), "", body, ""].join("\n");
}

test("what stands below the marked line is the message, whatever stands in it", () => {
  for (const text of ODD) {
    const expected = text.replace(/\r\n?/g, "\n").trimEnd();
    assert.equal(bodyOf(pageOf(text), KEY, REPORT), expected);
  }
});

test("a marked line in the text of a chat does not cut the message", () => {
  const copied = `first\n${markerLine(KEY, "Everything below opens the next chat.")}\nsecond`;
  assert.equal(bodyOf(pageOf(copied), KEY, REPORT), copied);
});

test("line ends of Windows make no difference", () => {
  assert.equal(bodyOf(pageOf("one\n\ntwo").replaceAll("\n", "\r\n"), KEY, REPORT), "one\n\ntwo");
});

test("the sentence of the marked line may be edited, or written in another language", () => {
  const translated = pageOf("body").replace(/Everything.* -->/, "Alles darunter eröffnet den nächsten Chat.");
  assert.equal(bodyOf(translated, KEY, REPORT), "body");
});

test("without the marked line all is the message, but for the report that can still be recognised", () => {
  const text = pageOf("# Mine\n\nbody").replace(/<!--.*-->\n/, "");
  assert.equal(bodyOf(text, KEY, REPORT), "# Mine\n\nbody");
  assert.equal(bodyOf(`my own words\n${REPORT.join("\n")}`, KEY, REPORT), `my own words\n${REPORT.join("\n")}`);
  assert.equal(bodyOf(REPORT.join("\n"), KEY, REPORT), "");
});

test("blanks at the start of the first line are part of the message, blank lines before it are not", () => {
  assert.equal(bodyOf(pageOf("\n  \n    indented code"), KEY, REPORT), "    indented code");
});

test("an empty message is found empty, also where the page ends with the marked line", () => {
  assert.equal(bodyOf(pageOf(""), KEY, REPORT), "");
  assert.equal(bodyOf(markerLine(KEY, "Everything below opens the next chat."), KEY, REPORT), "");
});

test("what stands below the marked line is given to the last blank, so that nothing moves while a person types", () => {
  assert.equal(belowMarker(pageOf("typing \n"), KEY), "\ntyping \n\n");
  assert.equal(belowMarker("no marked line", KEY), undefined);
});

test("a message is unedited whatever line ends and blanks around it became", () => {
  const compaction = compactionOf();
  assert.ok(isUnedited(compaction.continuation, compaction));
  assert.ok(isUnedited(`\n${compaction.continuation}\n\n`, compaction));
  assert.ok(!isUnedited(`${compaction.continuation}!`, compaction));
});

test("the edited summary is what stands between the words around it", () => {
  for (const text of ODD.map((one) => one.replace(/\r\n?/g, "\n").trim())) {
    assert.equal(summaryIn(`${BEFORE}${text}${BEHIND}`, compactionOf()), text);
  }
});

test("what a person wrote behind the messages that follow the summary is part of the summary", () => {
  assert.equal(summaryIn(`${BEFORE}${SUMMARY}${BEHIND}\n\nmine`, compactionOf()), `${SUMMARY}\n\nmine`);
});

test("where the words around the summary are gone, the whole message is the summary", () => {
  assert.equal(summaryIn("only my words", compactionOf()), "only my words");
  assert.equal(summaryIn(`${BEFORE}${SUMMARY}\n\n[User]: cut`, compactionOf()), `${SUMMARY}\n\n[User]: cut`);
});

test("of edited messages behind the summary only what a person wrote is part of it: they themselves are kept anyway", () => {
  const behind = "\n\n## Recent messages\n\n[User]: one\n\n[Assistant]: two";
  const compaction = compactionOf({ continuation: `${BEFORE}${SUMMARY}${behind}` });
  const edited = behind.replace("[User]: one", "[User]: one, please");
  assert.equal(
    summaryIn(`${BEFORE}${SUMMARY}${edited}\n\nmine`, compaction),
    `${SUMMARY}\n\n[User]: one, please\n\nmine`,
  );
  assert.equal(summaryIn(`${BEFORE}${SUMMARY}${behind.replace("[User]: one\n", "")}`, compaction), SUMMARY);
  assert.ok(isTailEdited(`${BEFORE}${SUMMARY}${edited}`, compaction));
  assert.ok(!isTailEdited(`${BEFORE}mine${behind}\n\nmore`, compaction));
});

test("a compaction without a summary has none in its message", () => {
  assert.equal(summaryIn("text", compactionOf({ summary: "" })), "text");
});

test("a message of megabytes is taken apart at once", () => {
  const long = "word ".repeat(2_000_000).trim();
  inLinearTime(() => {
    assert.equal(bodyOf(pageOf(long), KEY, REPORT), long);
    assert.equal(summaryIn(`${BEFORE}${long}${BEHIND}`, compactionOf()), long);
  });
});

test("lines of nothing but blanks, a megabyte of them, do not hold anybody up", () => {
  const blank = `${" ".repeat(500_000)}\n${"\n ".repeat(250_000)}x`;
  inLinearTime(() => bodyOf(pageOf(blank), KEY, REPORT));
});
