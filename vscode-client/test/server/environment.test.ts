/** Private environments: which one counts, and which go. */

import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  copyEnvironment,
  discard,
  findAlike,
  findAny,
  findComplete,
  markComplete,
  markUsed,
  newFolder as newEnvironment,
  pythonIn,
  supersede,
  suppliesIn,
  tidy,
} from "../../src/server/environment";
import { newFolder } from "./workshop";

async function make(storage: string, identity?: string): Promise<string> {
  const folder = await newEnvironment(storage);
  await mkdir(dirname(pythonIn(folder)), { recursive: true });
  await writeFile(pythonIn(folder), "");
  if (identity !== undefined) {
    await markComplete(folder, identity);
  }
  return folder;
}

async function makeOld(folder: string, hours = 48): Promise<void> {
  const before = new Date(Date.now() - hours * 60 * 60 * 1000);
  await utimes(folder, before, before);
}

test("an environment counts only where it is whole and made from the same files", async () => {
  const storage = await newFolder();
  assert.equal(await findComplete(storage, "mine"), undefined);
  await make(storage);
  await make(storage, "other");
  assert.equal(await findComplete(storage, "mine"), undefined);
  const folder = await make(storage, "mine");
  assert.equal(await findComplete(storage, "mine"), pythonIn(folder));
});

test("an earlier environment is known by its libraries, and a copy of it is not whole before it is marked", async () => {
  const storage = await newFolder();
  const before = await make(storage, "libraries-one");
  const copied = await newEnvironment(storage);
  await copyEnvironment(pythonIn(before), copied);
  await discard(pythonIn(before));
  assert.equal(await findAny(storage), undefined);
  await markComplete(copied, "libraries-two");
  assert.deepEqual(await findAlike(storage, "libraries"), [pythonIn(copied)]);
  assert.deepEqual(await findAlike(storage, "other"), []);
  assert.equal(await findAny(storage), pythonIn(copied));
});

test("an environment whose Python is gone does not count, nor one that was discarded", async () => {
  const storage = await newFolder();
  const folder = await newEnvironment(storage);
  await markComplete(folder, "mine");
  assert.equal(await findComplete(storage, "mine"), undefined);
  const whole = await make(storage, "mine");
  await discard(pythonIn(whole));
  assert.equal(await findComplete(storage, "mine"), undefined);
});

test("of two environments from the same files the one made last counts", async () => {
  const storage = await newFolder();
  const other = await make(storage, "other");
  for (let round = 0; round < 5; round += 1) {
    const folder = await make(storage, "mine");
    await makeOld(join(folder, "complete"), 5 - round);
    await supersede(storage, folder, "mine");
    assert.equal(await findComplete(storage, "mine"), pythonIn(folder));
  }
  assert.equal(await findComplete(storage, "other"), pythonIn(other));
});

test("of two that were made at once one counts, whichever window is done first", async () => {
  const storage = await newFolder();
  const made = [await make(storage, "mine"), await make(storage, "mine")];
  const moment = new Date();
  await Promise.all(made.map((folder) => utimes(join(folder, "complete"), moment, moment)));
  await Promise.all(made.map((folder) => supersede(storage, folder, "mine")));
  assert.ok(made.map(pythonIn).includes((await findComplete(storage, "mine")) ?? ""));
});

test("of several with the same libraries the one that was used last comes first", async () => {
  const storage = await newFolder();
  const made = [await make(storage, "same-1"), await make(storage, "same-2"), await make(storage, "same-3")];
  await Promise.all(made.map((folder, place) => makeOld(folder, [30, 10, 20][place])));
  const [oldest = "", newest = "", between = ""] = made.map(pythonIn);
  assert.deepEqual(await findAlike(storage, "same"), [newest, between, oldest]);
});

test("a storage that is not there yet holds no environment", async () => {
  assert.equal(await findComplete("/nowhere/at/all", "mine"), undefined);
});

test("half-made and other environments go a day after their last use, the used one and others of today stay", async () => {
  const storage = await newFolder();
  const used = await make(storage, "mine");
  const older = await make(storage, "older");
  const halfMade = await make(storage);
  const recent = await make(storage, "recent");
  const running = await make(storage, "running");
  await Promise.all([used, older, halfMade, running].map((folder) => makeOld(folder)));
  await markUsed(pythonIn(running));
  await tidy(storage, pythonIn(used));
  const left = (await readdir(storage)).map((name) => join(storage, name)).sort();
  assert.deepEqual(left, [used, recent, running].sort());
});

test("the environment before stays however long ago it was used: a machine that slept notes no use", async () => {
  const storage = await newFolder();
  const [used, older, before] = [await make(storage, "mine"), await make(storage, "a"), await make(storage, "b")];
  await makeOld(older, 72);
  await makeOld(before);
  await tidy(storage, pythonIn(used));
  assert.deepEqual((await readdir(storage)).map((name) => join(storage, name)).sort(), [used, before].sort());
});

test("supplies are a wheel and its requirements, known by what is in them", async () => {
  const folder = await newFolder();
  assert.equal(await suppliesIn(folder), undefined);
  await writeFile(join(folder, "compact_chat-0.1.0-py3-none-any.whl"), "wheel");
  assert.equal(await suppliesIn(folder), undefined);
  await writeFile(join(folder, "requirements.txt"), "one==1");
  const before = await suppliesIn(folder);
  await writeFile(join(folder, "requirements.txt"), "one==2");
  const after = await suppliesIn(folder);
  assert.match(before?.identity ?? "", /^[0-9a-f]{16}-[0-9a-f]{16}$/);
  assert.notEqual(before?.libraries, after?.libraries);
  await writeFile(join(folder, "compact_chat-0.1.0-py3-none-any.whl"), "another wheel");
  const last = await suppliesIn(folder);
  assert.equal(after?.libraries, last?.libraries);
  assert.notEqual(after?.identity, last?.identity);
});
