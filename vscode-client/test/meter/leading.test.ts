/** Which of several chats is in use. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { leading, QUIET } from "../../src/meter/leading";

const [old, late] = [{ movedAt: 1000 }, { movedAt: 4000 }];

test("without one before, the chat that moved last leads", () => {
  assert.equal(leading(undefined, [old, late], 4000), late);
});

test("a chat that is still being written stays, though another one moved later", () => {
  assert.equal(leading(old, [old, late], 1000 + QUIET - 1), old);
});

test("a chat that is quiet gives way to the one that moved last", () => {
  assert.equal(leading(old, [old, late], 1000 + QUIET), late);
});

test("a chat that is gone leads no more, and without chats none leads", () => {
  assert.equal(leading(old, [late], 1000), late);
  assert.equal(leading(old, [], 1000), undefined);
});
