/** What each choice makes of the options. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceMade, choicesFor, choose, countsNewest, newest, untouched, withNewest } from "../../src/change/choices";
import type { Options } from "../../src/wire";

test("a pin takes the drop of the same message away, and a drop the pin", () => {
  assert.deepEqual(choose({ drop: ["a", "b"] }, "a", "pin"), { drop: ["b"], pin: ["a"] });
  assert.deepEqual(choose({ pin: ["a"] }, "a", "drop"), { drop: ["a"] });
});

test("a message that is pinned twice is pinned once, and the other pins stay in their order", () => {
  assert.deepEqual(choose({ pin: ["a", "b"] }, "a", "pin"), { pin: ["b", "a"] });
});

test("a part to summarise takes the mark of its end away and leaves the marks of others", () => {
  const options: Options = { pin: ["a"], drop: ["b"], scope: { kind: "upTo", message: "z" } };
  assert.deepEqual(choose(options, "a", "from"), { drop: ["b"], scope: { kind: "from", message: "a" } });
});

test("a pin or a drop of the message where the part ends takes the part away", () => {
  const scope = { kind: "upTo", message: "a" } as const;
  assert.deepEqual(choose({ scope }, "a", "pin"), { pin: ["a"] });
  assert.deepEqual(choose({ scope }, "b", "pin"), { scope, pin: ["b"] });
});

test("as planned takes back all that was chosen about a message, and nothing else", () => {
  const options: Options = { style: "brief", pin: ["a"], drop: ["b"] };
  assert.deepEqual(choose(options, "a", "asPlanned"), { style: "brief", drop: ["b"] });
  assert.deepEqual(choose({ scope: { kind: "from", message: "a" } }, "a", "asPlanned"), {});
});

test("a choice leaves the options that it came from as they were", () => {
  const options: Options = { pin: ["a"], scope: { kind: "from", message: "a" } };
  const before = structuredClone(options);
  choose(options, "a", "drop");
  assert.deepEqual(options, before);
});

test("the choice that was made is told, and only the others are offered, the way back first", () => {
  const options: Options = { drop: ["a"], scope: { kind: "from", message: "b" } };
  assert.equal(choiceMade(options, "a"), "drop");
  assert.equal(choiceMade(options, "b"), "from");
  assert.equal(choiceMade(options, "c"), undefined);
  assert.deepEqual(choicesFor(options, "a"), ["asPlanned", "pin", "from", "upTo"]);
  assert.deepEqual(choicesFor(options, "c"), ["pin", "drop", "from", "upTo"]);
});

test("a part to summarise is offered only where a summary may be made", () => {
  assert.deepEqual(choicesFor({ strategy: "keep" }, "a"), ["pin", "drop"]);
  assert.deepEqual(choicesFor({ strategy: "prune" }, "a"), ["pin", "drop"]);
  assert.deepEqual(choicesFor({ strategy: "auto" }, "a"), ["pin", "drop", "from", "upTo"]);
});

test("the number of newest messages has the name that its strategy gives it", () => {
  assert.equal(newest({}), 4);
  assert.equal(newest({ strategy: "keep" }), 10);
  assert.deepEqual(withNewest({}, 0), { minKeep: 0 });
  assert.deepEqual(withNewest({ strategy: "keep" }, 3), { strategy: "keep", keepRecent: 3 });
});

test("the number of newest messages does not count beside a named part, nor where every message stays", () => {
  assert.ok(countsNewest({}));
  assert.ok(!countsNewest({ scope: { kind: "from", message: "a" } }));
  assert.ok(countsNewest({ strategy: "keep", scope: { kind: "from", message: "a" } }));
  assert.ok(!countsNewest({ strategy: "prune" }));
});

test("a reset forgets what was chosen about this chat and keeps how the next one is opened", () => {
  const continuation = { silent: true };
  const chosen: Options = { pin: ["a"], drop: ["b"], style: "brief", strategy: "keep", instructions: "x", minKeep: 1 };
  assert.deepEqual(untouched({ ...chosen, keepRecent: 2, scope: { kind: "all" }, continuation }), { continuation });
});
