/** An edit of a page replaces only the lines that differ, so that the cursor stays and nothing typed is lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { difference } from "../../src/page/difference";
import { inLinearTime, ODD } from "./made";

test("what is replaced turns each text into the other", () => {
  const texts = [...ODD, "", "\n", "\n\n", "a\nb\nc", "a\nb\nb\nc", "a\n\nc\n"];
  for (const old of texts) {
    for (const text of texts) {
      const { start, end, inserted } = difference(old, text);
      assert.ok(start <= end);
      assert.equal(`${old.slice(0, start)}${inserted}${old.slice(end)}`, text);
    }
  }
});

test("only the lines that differ are replaced", () => {
  assert.deepEqual(difference("one\ntwo\nthree\n", "one\n2\nthree\n"), { start: 4, end: 7, inserted: "2" });
  assert.deepEqual(difference("one\nthree\n", "one\ntwo\nthree\n"), { start: 4, end: 4, inserted: "two\n" });
  assert.equal(difference("same\n", "same\n").inserted, "");
});

test("texts of megabytes do not hold anybody up", () => {
  const long = "word\n".repeat(1_000_000);
  inLinearTime(() => assert.equal(difference(`${long}a\n${long}`, `${long}b\n${long}`).inserted, "b"));
});
