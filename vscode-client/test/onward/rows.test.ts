/** How the list of compactions tells each of them, and which ways lead back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parted, rowOf } from "../../src/onward/rows";
import { wayLabel, waysBack } from "../../src/onward/ways";
import type { Past } from "../../src/wire";
import { l10n } from "../fakes/vscode";

const PAST: Past = {
  compactionId: "0123456789abcdef",
  uri: "file:///a.jsonl",
  title: "Build the parser",
  at: "2026-11-18T12:00:00Z",
  provider: "offline",
  model: null,
  before: 128_412,
  after: 4_210,
  kept: 0.914,
};

test("a row tells title, time, sizes, what is kept, and that no model wrote it", () => {
  const row = rowOf(PAST, l10n, "en");
  assert.equal(row.label, "Build the parser");
  assert.match(row.description, /2026/);
  assert.equal(row.detail, "128,412 → 4,210 tokens, 91% kept, made without a model");
});

test("two compactions of one minute are told apart", () => {
  const [one, other] = [PAST, { ...PAST, at: "2026-11-18T12:00:07Z" }].map((past) => rowOf(past, l10n, "en"));
  assert.notEqual(one?.description, other?.description);
});

test("a row names who wrote the summary", () => {
  const writers = [
    [{ provider: "anthropic", model: "claude-haiku-5-5" }, "written by claude-haiku-5-5"],
    [{ provider: "editor", model: null }, "written by editor"],
    [{ provider: "host" }, "edited by hand"],
    [{ provider: "none" }, "cut by rules"],
  ] as const;
  for (const [change, expected] of writers) {
    assert.ok(rowOf({ ...PAST, ...change }, l10n, "en").detail.endsWith(`, ${expected}`));
  }
});

test("titles of chats are one line that shows no icon, and chats without one are told as such", () => {
  assert.equal(rowOf({ ...PAST, title: "a\nb $(x)" }, l10n, "en").label, "a b $\u2060(x)");
  assert.equal(rowOf({ ...PAST, title: null }, l10n, "en").label, "Untitled chat");
});

test("compactions of this workspace come apart from all others, in their order", () => {
  const others = { ...PAST, uri: null };
  const [here, elsewhere] = parted([others, PAST, { ...PAST, uri: "file:///b" }], (uri) => uri === PAST.uri);
  assert.deepEqual(here, [PAST]);
  assert.deepEqual(elsewhere, [others, { ...PAST, uri: "file:///b" }]);
});

test("the first way back leads to the chat itself, and every original can be read and saved", () => {
  assert.deepEqual(waysBack(true), ["back", "read", "save"]);
  assert.deepEqual(waysBack(false), ["putBack", "read", "save"]);
  assert.deepEqual(waysBack(undefined), ["read", "save"]);
  assert.equal(new Set((["back", "putBack", "read", "save"] as const).map((way) => wayLabel(way, l10n))).size, 4);
});
