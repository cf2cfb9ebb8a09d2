/** Where Claude Code's sessions lie, and what they tell. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  claudeSessionIn,
  heldIn,
  isProjectOf,
  movedTo,
  projectFolder,
  sessionId,
  slug,
} from "../../src/onward/claudePlaces";

const ME = { home: "/home/me", env: {} };
const CONFIGURED = { home: "/home/me", env: { CLAUDE_CONFIG_DIR: "/conf" } };

test("all but letters and digits of a folder's name become dashes, each its own", () => {
  const rows = [
    ["/home/me/my_app.v2", "-home-me-my-app-v2"],
    ["C:\\Users\\me", "C--Users-me"],
    ["/tmp/grüße 😀", "-tmp-gr--e---"],
  ] as const;
  for (const [folder, expected] of rows) {
    assert.equal(slug(folder), expected);
  }
});

test("sessions lie in the home folder unless another is configured", () => {
  assert.equal(projectFolder("/a/b", ME), "/home/me/.claude/projects/-a-b");
  assert.equal(projectFolder("/a/b", { ...ME, env: { CLAUDE_CONFIG_DIR: "" } }), "/home/me/.claude/projects/-a-b");
  assert.equal(projectFolder("/a/b", CONFIGURED), "/conf/projects/-a-b");
});

test("of a path of more than 200 letters only the beginning of the name is known, behind which comes a hash", () => {
  const [longest, longer] = [`/${"a".repeat(199)}`, `/${"a".repeat(200)}`];
  assert.equal(projectFolder(longest, ME), `/home/me/.claude/projects/-${"a".repeat(199)}`);
  assert.equal(projectFolder(longer, ME), undefined);
  assert.equal(isProjectOf(`-${"a".repeat(199)}-1x2y3z`, longer), true);
  assert.equal(isProjectOf(`-${"a".repeat(200)}`, longer), false);
  assert.equal(isProjectOf("-shop-1x2y3z", "/shop"), false);
});

test("a session is a file right in a project's folder, where older versions keep them too", () => {
  assert.equal(claudeSessionIn("/home/me/.claude/projects/-a/id-1.jsonl", ME), "id-1");
  assert.equal(claudeSessionIn("/home/me/.config/claude/projects/-a/id-1.jsonl", ME), "id-1");
  assert.equal(claudeSessionIn("/conf/projects/-a/id-1.jsonl", CONFIGURED), "id-1");
  for (const path of [
    "/x/id-1.jsonl",
    "/home/me/.claude/projects/-a/sub/id-1.jsonl",
    "/home/me/.claude/projects/-a/a;b.jsonl",
  ]) {
    assert.equal(claudeSessionIn(path, ME), undefined);
  }
});

test("on Windows the letter of a drive may be small or big, and a name's letters too", () => {
  const home = { home: "C:\\Users\\Me", env: {} };
  const file = "c:\\Users\\me\\.claude\\projects\\C--shop\\id-1.jsonl";
  assert.equal(claudeSessionIn(file, home, "win32"), "id-1");
  assert.equal(claudeSessionIn(file.replace("c:", "D:"), home, "win32"), undefined);
  assert.equal(claudeSessionIn("/home/ME/.claude/projects/-a/id-1.jsonl", ME, "linux"), undefined);
  assert.equal(isProjectOf("C--shop", "c:\\shop", "win32"), true);
  assert.equal(isProjectOf("-shop", "/Shop", "linux"), false);
});

test("a session tells its id and folder by the first record that has them, whatever is damaged", () => {
  const text =
    '{"type":"summary"}\n{"cut\nnull\n[]\n{"sessionId":"id-1","cwd":"/a"}\n{"sessionId":"id-2","cwd":"/b"}\n';
  assert.equal(sessionId(text), "id-1");
  assert.equal(heldIn(text), "/a");
  assert.equal(heldIn(""), undefined);
});

test("an id that a shell would take for something else is none", () => {
  assert.equal(sessionId('{"sessionId":"x; rm -rf ~"}\n'), undefined);
});

test("a session is moved as a whole, and only its folder is another", () => {
  const moved = movedTo('{"type":"summary","n":1}\n{"cwd":"/","sessionId":"id-1"}\n', "/shop");
  assert.equal(moved, '{"type":"summary","n":1}\n{"cwd":"/shop","sessionId":"id-1"}\n');
});
