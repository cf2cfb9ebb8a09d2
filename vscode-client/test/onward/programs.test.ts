/** Whether a program can be run by its name. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { isOnPath } from "../../src/onward/programs";

let place: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "programs-"));
});

afterEach(() => rm(place, { recursive: true }));

test("a program that may be run is found in any folder of the path", async () => {
  await writeFile(join(place, "claude"), "", { mode: 0o700 });
  const path = ["/no/such/folder", place].join(delimiter);
  assert.equal(await isOnPath("claude", { PATH: path }, "linux"), true);
  assert.equal(await isOnPath("codex", { PATH: path }, "linux"), false);
});

test("a folder, a file that may not be run, and a folder of no fixed place are no programs", async () => {
  await mkdir(join(place, "folder", "claude"), { recursive: true });
  await writeFile(join(place, "claude"), "", { mode: 0o600 });
  assert.equal(await isOnPath("claude", { PATH: join(place, "folder") }, "linux"), false);
  if (process.getuid?.() !== 0) {
    assert.equal(await isOnPath("claude", { PATH: place }, "linux"), false);
  }
  await writeFile(join(place, "codex"), "", { mode: 0o700 });
  assert.equal(await isOnPath("codex", { PATH: relative(process.cwd(), place) }, "linux"), false);
});

test("without a path nothing is found", async () => {
  assert.equal(await isOnPath("claude", {}, "linux"), false);
});

test("on Windows a program is found by its endings", async () => {
  await writeFile(join(place, "claude.CMD"), "", { mode: 0o700 });
  assert.equal(await isOnPath("claude", { Path: place, PATHEXT: ".EXE;.CMD" }, "win32"), true);
});
