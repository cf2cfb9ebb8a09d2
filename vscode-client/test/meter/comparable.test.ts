/** When two paths are one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { comparable } from "../../src/meter/comparable";

for (const [platform, one, other, isOne] of [
  ["win32", "c:\\Users\\me", "C:\\Users\\me", true],
  ["win32", "C:\\Users\\ME", "C:/Users/me", true],
  ["win32", "C:\\Users\\me", "D:\\Users\\me", false],
  ["darwin", "/Users/Me", "/Users/me", true],
  ["linux", "/home/Me", "/home/me", false],
  ["linux", "/home//me", "/home/me", true],
  ["linux", "/home/a\\b", "/home/a/b", false],
] as const) {
  test(`${one} and ${other} are ${isOne ? "one path" : "two paths"} on ${platform}`, () => {
    assert.equal(comparable(one, platform) === comparable(other, platform), isOne);
  });
}
