/** When the meter looks for a first chat. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Lookout, type Waking } from "../../src/meter/lookout";
import { settled, until } from "./made";

const made: string[] = [];
const open: Lookout[] = [];
const NEVER = 3_600_000;
const SOON = 1000;

after(async () => {
  for (const one of open) one.dispose();
  await Promise.all(made.map((folder) => rm(folder, { recursive: true })));
});

function watched(given: Partial<Waking>, look = async () => {}) {
  const told = { looks: 0 };
  const counted = async () => {
    told.looks += 1;
    await look();
  };
  const lookout = new Lookout(counted, { folder: undefined, isUsed: () => true, every: NEVER, ...given });
  open.push(lookout);
  return { told, lookout };
}

async function folder(): Promise<string> {
  const made_ = await mkdtemp(join(tmpdir(), "lookout-"));
  made.push(made_);
  return made_;
}

test("it looks once at the beginning, but not before the caller is done", async () => {
  const { told } = watched({});
  assert.equal(told.looks, 0);
  await until(() => told.looks === 1);
});

test("it looks again and again while the window is used", async () => {
  const { told } = watched({ every: 5 });
  await until(() => told.looks > 3);
});

test("it does not look while the window is not used, and goes on when it is", async () => {
  let asked = 0;
  let isUsed = false;
  const { told } = watched({
    every: 5,
    isUsed: () => {
      asked += 1;
      return isUsed;
    },
  });
  await until(() => asked > 3);
  assert.equal(told.looks, 1);
  isUsed = true;
  await until(() => told.looks > 1);
});

test("a file that appears in the folder makes it look at once", async () => {
  const place = await folder();
  const { told } = watched({ folder: place });
  await until(() => told.looks === 1);
  await writeFile(join(place, "a.jsonl"), "{}");
  await until(() => told.looks > 1);
});

test("a folder that is not there yet is noticed when it comes, and its files then", async () => {
  const above = await folder();
  const { told } = watched({ folder: join(above, "chatSessions") });
  await until(() => told.looks === 1);
  await mkdir(join(above, "chatSessions"));
  await until(() => told.looks > 1);
  const before = told.looks;
  await writeFile(join(above, "chatSessions", "a.jsonl"), "{}");
  await until(() => told.looks > before);
});

test("what else stirs in the folder above is no reason to look", async () => {
  const above = await folder();
  const { told } = watched({ folder: join(above, "chatSessions") });
  await until(() => told.looks === 1);
  await writeFile(join(above, "vscode.lock"), "{}");
  await mkdir(join(above, "chatSessions"));
  await until(() => told.looks > 1);
  assert.equal(told.looks, 2);
});

test("two looks are never under way at once", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let free = () => {};
  let underWay = 0;
  const { told, lookout } = watched({}, async () => {
    underWay += 1;
    assert.equal(underWay, 1);
    await new Promise<void>((resolve) => {
      free = resolve;
    });
    underWay -= 1;
  });
  context.mock.timers.tick(1);
  lookout.lookSoon(0);
  context.mock.timers.tick(1);
  assert.equal(told.looks, 1);
  free();
  await settled();
  context.mock.timers.tick(SOON);
  assert.equal(told.looks, 2);
  free();
});

test("what stirs while a look is about to end is not left for the next turn", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let free = () => {};
  const { told, lookout } = watched({}, async () => {
    await new Promise<void>((resolve) => {
      free = resolve;
    });
  });
  context.mock.timers.tick(1);
  lookout.lookSoon();
  free();
  await settled();
  context.mock.timers.tick(SOON);
  assert.equal(told.looks, 2);
  free();
});

test("after its end it looks no more", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { told, lookout } = watched({ every: 1 });
  context.mock.timers.tick(1);
  await settled();
  lookout.dispose();
  lookout.lookSoon(0);
  context.mock.timers.tick(NEVER);
  assert.equal(told.looks, 1);
});
