/** The rows of the list of messages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf, tallyOf } from "../../src/change/fates";
import { headline } from "../../src/change/headline";
import { ENGLISH, fateOf, previewOf } from "./made";

test("a row has an icon by its fate, what the message says, its tokens before and after, and why", () => {
  const fate = fateOf({ index: 11, fate: "prune", tokensAfter: 210, reason: "Its old tool results are cut." });
  assert.deepEqual(rowsOf([fate], ENGLISH), [
    {
      id: "m1",
      label: "$(scissors) Fix the parser",
      description: "1,240 → 210",
      detail: "12 · User · Cut: Its old tool results are cut.",
    },
  ]);
});

test("each fate has an icon of its own", () => {
  const fates = (["pin", "keep", "summarize", "drop", "prune"] as const).map((fate) => fateOf({ fate }));
  const icons = rowsOf(fates, ENGLISH).map(({ label }) => label.split(" ")[0]);
  assert.deepEqual(icons, ["$(pin)", "$(check)", "$(fold)", "$(trash)", "$(scissors)"]);
});

test("a message that stays as it is has one number, not two that are the same", () => {
  assert.equal(rowsOf([fateOf()], ENGLISH)[0]?.description, "1,240");
});

test("all of a long excerpt can be searched: what the first line has no room for stands in the second", () => {
  const words = Array.from({ length: 30 }, (_, place) => `word${place}`).join(" ");
  const [row] = rowsOf([fateOf({ excerpt: words })], ENGLISH);
  assert.ok(row && row.label.length < 75);
  assert.match(row.label, /^\$\(check\) word0 .*…$/);
  assert.match(row.detail, /word29$/);
});

test("what a chat says becomes no icon, no second line, and turns no direction", () => {
  const [row] = rowsOf([fateOf({ excerpt: "a\n$(trash)\u202e b\u0000 c" })], ENGLISH);
  assert.doesNotMatch(row?.label ?? "", /\$\(trash\)|[\n\u202e\0]/);
});

test("a message without text is told as such, and a role that we do not know by its name", () => {
  const [row] = rowsOf([fateOf({ excerpt: "", role: "developer" })], ENGLISH);
  assert.equal(row?.label, "$(check) (no text)");
  assert.match(row?.detail ?? "", /developer/);
});

test("an excerpt is never cut within a sign of two halves", () => {
  const [row] = rowsOf([fateOf({ excerpt: "🙂".repeat(80) })], ENGLISH);
  assert.doesNotMatch(`${row?.label}${row?.detail}`, /\p{Cs}/u);
});

test("the tally counts pinned messages among the kept and leaves out what there is none of", () => {
  const fates = (["pin", "keep", "summarize", "summarize", "drop"] as const).map((fate) => fateOf({ fate }));
  assert.equal(tallyOf(fates, ENGLISH), "2 kept, 2 summarised, 1 dropped");
  assert.equal(tallyOf([], ENGLISH), "");
});

test("rows of ten thousand messages are made in seconds, not minutes", () => {
  const fates = Array.from({ length: 10_000 }, (_, index) =>
    fateOf({ id: `m${index}`, index, excerpt: "x ".repeat(80) }),
  );
  const start = performance.now();
  assert.equal(rowsOf(fates, ENGLISH).length, 10_000);
  assert.ok(performance.now() - start < 10_000);
});

test("the title tells tokens before and after, why nothing is won, or why a choice was taken back", () => {
  const preview = previewOf();
  assert.equal(headline({ preview, problem: undefined }, ENGLISH), "128,412 → about 4,210 tokens");
  const idle = previewOf({ action: "none", before: 90, reason: "The chat is too short." });
  assert.equal(headline({ preview: idle, problem: undefined }, ENGLISH), "90 tokens: The chat is too short.");
  assert.equal(headline({ preview, problem: "It is pinned." }, ENGLISH), "It is pinned.");
});
