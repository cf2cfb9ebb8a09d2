/** While a model writes, a person sees the summary that it has so far, and neither scratchpad nor tags. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "../../src/page/visible";
import { inLinearTime } from "./made";

const REPLY =
  "<analysis>\nFirst the user … I will write <summary> later.\n</analysis>\n\n<summary>\n1. Intent:\nbuild a < b\n</summary>";

test("at each moment of a reply it shows a beginning of the summary, which only grows", () => {
  let last = "";
  for (let length = 0; length <= REPLY.length; length++) {
    const { text } = visible(REPLY.slice(0, length));
    assert.ok("1. Intent:\nbuild a < b".startsWith(text), text);
    assert.ok(text.length >= last.length || last.endsWith("<"), `${last} | ${text}`);
    last = text;
  }
  assert.equal(last, "1. Intent:\nbuild a < b");
});

test("it counts what the model thinks before it writes", () => {
  const begun = "<analysis>\nFirst the user";
  assert.deepEqual(visible(begun), { thought: begun.length, text: "" });
  assert.equal(visible("<ana").thought, 4);
  assert.equal(visible(REPLY).thought, 0);
});

test("a reply without tags is shown from its first word", () => {
  assert.deepEqual(visible("## Goal\nbuild"), { thought: 0, text: "## Goal\nbuild" });
});

test("a scratchpad that is never closed ends where the summary begins a line", () => {
  assert.equal(visible("<analysis>\nhm\n<summary>\nText").text, "Text");
});

test("where the next part or another model begins anew, the newest text counts", () => {
  assert.deepEqual(visible(`${REPLY}\n<analysis>\nagain`).text, "");
  assert.equal(visible(`${REPLY}\n<analysis>\nagain\n</analysis>\n<summary>\nNew`).text, "New");
  assert.equal(visible(`${REPLY}${REPLY.replace("build", "make")}`).text, "1. Intent:\nmake a < b");
});

test("a blank reply shows nothing", () => {
  assert.equal(visible("").text, "");
  assert.equal(visible("\n\n").text, "");
});

test("a reply of megabytes is read at once", () => {
  const reply = `<analysis>${"<summary".repeat(600_000)}</analysis>\n<summary>${"text < ".repeat(800_000)}`;
  inLinearTime(() => visible(reply));
});
