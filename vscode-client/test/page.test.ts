/** The page of the main screen: its built files are those of its sources, and small. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { test } from "node:test";

const FOLDER = "../server/compact_chat/page";

test("the page that the server packs is built from the sources", () => {
  const { status, stderr } = spawnSync("node", ["scripts/build.mjs", "--page", "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("the page has at most 150 kB", () => {
  const bytes = readdirSync(FOLDER).map((name) => statSync(`${FOLDER}/${name}`).size);
  assert.ok(bytes.reduce((sum, size) => sum + size, 0) <= 150_000, String(bytes));
});
