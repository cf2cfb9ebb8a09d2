/** What was lost is put into the message once, whole, and in its place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HEADING, item, wholeText, withItems } from "../../src/page/putting";
import { BEFORE, BEHIND, ODD, SUMMARY } from "./made";

const BODY = `${BEFORE}${SUMMARY}${BEHIND}`;
const TAIL = BEHIND.trim();

test("an item stands under a heading of its own, behind the summary and before the messages that follow it", () => {
  const grown = withItems(BODY, ["- Command that was run: make"], TAIL);
  assert.equal(grown, `${BEFORE}${SUMMARY}\n\n${HEADING}\n\n- Command that was run: make${BEHIND}`);
});

test("the next item joins the list", () => {
  const once = withItems(BODY, ["- a"], TAIL);
  assert.equal(withItems(once, ["- b"], TAIL), once.replace("- a", "- a\n- b"));
});

test("an item is put back once, however often it is asked for", () => {
  for (const text of ODD) {
    const once = withItems(BODY, [item("commands", text)], TAIL);
    assert.equal(withItems(once, [item("commands", text), item("commands", text)], TAIL), once);
  }
});

test("where nothing follows the summary, or a person has changed that, the items stand at the end", () => {
  assert.ok(withItems(BODY, ["- a"], "").endsWith("\n\n- a"));
  assert.ok(withItems("my words", ["- a"], TAIL).endsWith("\n\n- a"));
});

test("all that stood in the message still stands there", () => {
  for (const text of ODD) {
    const body = `${BEFORE}${text.trim()}${BEHIND}`;
    const grown = withItems(body, ["- a"], TAIL);
    assert.equal(grown.replace(`\n\n${HEADING}\n\n- a`, ""), body);
  }
});

test("lines of a long item stay within it", () => {
  assert.equal(item("userMessages", "one\r\ntwo\n\n# three"), "- The user wrote: one\n  two\n\n  # three");
});

test("a message that was told shortened is put back whole", () => {
  const lost = { id: "1", text: "Please build…", message: "m" };
  assert.equal(wholeText("userMessages", lost, "Please build\nthe house"), "Please build\nthe house");
  assert.equal(wholeText("userMessages", lost, undefined), "Please build…");
  assert.equal(wholeText("userMessages", { ...lost, text: "Please build" }, "other"), "Please build");
});

test("of a shortened command, rule or error the line in its message is put back, else what is known of it", () => {
  const lost = { id: "1", text: "make  -j8 all…", message: "m" };
  assert.equal(wholeText("commands", lost, "I run\nmake -j8 all install\nnow"), "make -j8 all install");
  assert.equal(wholeText("commands", lost, "nothing of it"), "make  -j8 all…");
});
