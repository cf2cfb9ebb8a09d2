/** Whether a text names a folder. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { mentions } from "../../src/meter/mention";

for (const [folder, text, isNamed] of [
  ["/shop/a", '{"cwd":"/shop/a"}', true],
  ["/shop/a", "in /shop/a/b/c", true],
  ["/shop/a", '"file:///shop/a"', true],
  ["/shop/a/", '{"cwd":"/shop/a"}', true],
  ["/shop/a", '{"cwd":"/shop/ab"}', false],
  ["/shop/a", '{"cwd":"/shop/a-b"}', false],
  ["/shop/a", '{"cwd":"/shop"}', false],
  ["/shop/a+b (c)", '{"cwd":"/shop/a+b (c)"}', true],
  ["/shop/ä b", '"file:///shop/%C3%A4%20b"', true],
  ["/shop/\u00e4", '{"cwd":"/shop/a\u0308"}', true],
  ["C:\\Work\\a", '{"cwd":"c:\\\\work\\\\a\\\\b"}', true],
  ["C:\\Work\\a", '"file:///c%3A/Work/a"', true],
  ["/", '{"cwd":"/home"}', true],
  ["", "anything", false],
] as const) {
  test(`${JSON.stringify(folder)} is ${isNamed ? "" : "not "}named by ${text}`, () => {
    assert.equal(mentions([folder])(text), isNamed);
  });
}

test("one of several names is enough, and without names nothing is named", () => {
  assert.equal(mentions(["/x", "/shop/a"])('"/shop/a"'), true);
  assert.equal(mentions([])("/shop/a"), false);
});
