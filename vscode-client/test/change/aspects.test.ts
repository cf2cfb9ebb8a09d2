/** The first list of a change. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Aspect, aspectsOf, strategiesOf, stylesOf } from "../../src/change/aspects";
import type { Options, Preview } from "../../src/wire";
import { ENGLISH, previewOf } from "./made";

test("compacting again comes first, and is the row that Enter takes", () => {
  assert.equal(namesOf({})[0], "again");
});

test("a plan that changes nothing says why in its first row", () => {
  const [first] = aspectsOf({}, previewOf({ action: "none", reason: "The chat is too short." }), ENGLISH);
  assert.equal(first?.description, "The chat is too short.");
});

test("each row tells how it stands now", () => {
  const options: Options = { style: "brief", strategy: "auto", instructions: "the parser", minKeep: 7 };
  assert.equal(described(options, "messages"), "1 kept, 1 summarised");
  assert.equal(described(options, "style"), "Brief");
  assert.equal(described(options, "strategy"), "Cut First");
  assert.equal(described(options, "focus"), "the parser");
  assert.equal(described(options, "newest"), "7 stay as they are");
});

test("style and focus are there only where a summary is made, the newest messages only where they count", () => {
  assert.deepEqual(namesOf({ strategy: "prune" }), ["again", "messages", "strategy", "reset"]);
  assert.deepEqual(namesOf({ strategy: "keep" }), ["again", "messages", "strategy", "newest", "reset"]);
  assert.ok(!namesOf({ scope: { kind: "from", message: "m1" } }).includes("newest"));
});

test("a reset is offered as soon as something was chosen, and not before", () => {
  assert.ok(!namesOf({ style: "detailed", continuation: { silent: true } }).includes("reset"));
  for (const options of [{ pin: ["a"] }, { minKeep: 0 }, { instructions: "x" }]) {
    assert.ok(namesOf(options).includes("reset"), JSON.stringify(options));
  }
});

test("every style and strategy has a name and a sentence", () => {
  for (const { label, detail } of [...stylesOf(ENGLISH), ...strategiesOf(ENGLISH)]) {
    assert.match(label, /^[A-Z]/);
    assert.match(detail, /\.$/);
  }
});

function namesOf(options: Options, preview: Preview = previewOf()): Aspect[] {
  return aspectsOf(options, preview, ENGLISH).map(({ aspect }) => aspect);
}

function described(options: Options, aspect: Aspect): string | undefined {
  return aspectsOf(options, previewOf(), ENGLISH).find((row) => row.aspect === aspect)?.description;
}
