/** Whether a text names a folder. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { mentions } from "../../src/meter/mention";

for (const [folder, text, isNamed] of [
  ["/work/a", '{"cwd":"/work/a"}', true],
  ["/work/a", "in /work/a/b/c", true],
  ["/work/a", '"file:///work/a"', true],
  ["/work/a/", '{"cwd":"/work/a"}', true],
  ["/work/a", '{"cwd":"/work/ab"}', false],
  ["/work/a", '{"cwd":"/work/a-b"}', false],
  ["/work/a", '{"cwd":"/work"}', false],
  ["/work/a+b (c)", '{"cwd":"/work/a+b (c)"}', true],
  ["/work/ä b", '"file:///work/%C3%A4%20b"', true],
  ["/work/\u00e4", '{"cwd":"/work/a\u0308"}', true],
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
  assert.equal(mentions(["/x", "/work/a"])('"/work/a"'), true);
  assert.equal(mentions([])("/work/a"), false);
});
