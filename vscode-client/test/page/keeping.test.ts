/** What a reload would lose of a page is kept privately, within bounds, and only where the archive is on. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Compaction } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { CHAT, type Desk, desk, until } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";

const PLAIN = { check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }) };

function kept({ storage }: Desk, sort = "*"): string[] {
  return (sort === "*" ? ["edited", "plain"] : [sort]).flatMap((one) => {
    const folder = join(storage, "pages", one);
    return existsSync(folder) ? readdirSync(folder) : [];
  });
}

/** Opens so many pages that nobody edits, each written by now. */
async function openPlain(open: Desk, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const compactionId = `0000${number}`.padStart(8, "0");
    await open.pages.open(CHAT, compactionOf({ compactionId }), {});
    await until(() => kept(open, "plain").includes(`${compactionId}.json`));
  }
}

function stand(context: TestContext, ...uris: unknown[]): void {
  context.after(() => Object.assign(vscode.window, { tabGroups: { all: [] } }));
  const tabs = uris.map((uri) => ({ input: new vscode.TabInputText(uri as vscode.Uri) }));
  Object.assign(vscode.window, { tabGroups: { all: [{ tabs }] } });
}

async function editedPage(open: Desk, change: Partial<Compaction> = {}): Promise<void> {
  await open.pages.open(CHAT, compactionOf(change), {});
  open.document().type((text) => text.replace("build it", "build it twice"));
  await open.document().save();
}

test("an edit that is saved is on the disk, where only its owner can read it", async () => {
  const open = desk(PLAIN);
  await editedPage(open);
  const folder = join(open.storage, "pages");
  const path = join(folder, "edited", `${KEY}.json`);
  assert.match(readFileSync(path, "utf8"), /build it twice/);
  for (const one of [folder, join(folder, "edited"), path]) {
    assert.equal(statSync(one).mode & 0o077, 0);
  }
  assert.deepEqual(kept(open), [`${KEY}.json`]);
});

test("of a compaction that was not archived nothing is kept", async () => {
  const open = desk(PLAIN);
  await editedPage(open, { archive: null });
  assert.deepEqual(kept(open), []);
});

test("where the archive is switched off, nothing is kept, and what was kept goes", async (context) => {
  const open = desk(PLAIN);
  await open.pages.open(CHAT, compactionOf(), {});
  await until(() => kept(open).length === 1);
  context.after(() => vscode.workspace.settings.delete("compactChat.archive"));
  vscode.workspace.settings.set("compactChat.archive", "off");
  open.document().type((text) => `${text}more`);
  await open.document().save();
  assert.deepEqual(kept(open), []);
});

test("of many pages the newest are kept, and not more than so much of them", async () => {
  const open = desk(PLAIN);
  for (const [sort, count, size, left] of [
    ["edited", 40, 1_000_000, 20],
    ["edited", 240, 1, 200],
    ["plain", 40, 1, 30],
  ] as const) {
    const folder = join(open.storage, "pages", sort);
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < count; number += 1) {
      const path = join(folder, `old${number}.json`);
      writeFileSync(path, "x".repeat(size));
      utimesSync(path, number, number);
    }
    await (sort === "edited" ? editedPage(open) : openPlain(open, 1));
    await until(() => kept(open, sort).length === left);
    assert.ok(kept(open, sort).includes(`old${count - 1}.json`));
  }
});

test("pages that nobody edited never take the place of one with edits", async () => {
  const open = desk(PLAIN);
  await editedPage(open);
  await openPlain(open, 40);
  await until(() => kept(open, "plain").length === 30);
  assert.deepEqual(kept(open, "edited"), [`${KEY}.json`]);
});

test("a page with a further version is kept like one with edits", async () => {
  const open = desk(PLAIN);
  const page = await open.pages.open(CHAT, compactionOf(), {});
  await until(() => kept(open, "plain").length === 1);
  const better = compactionOf({ compactionId: "better00" });
  await open.pages.show(page, { compaction: better, body: better.continuation });
  await until(() => kept(open, "plain").length === 0);
  assert.deepEqual(kept(open, "edited"), [`${KEY}.json`]);
});

test("a page that stands in a tab is kept, whatever comes after it", async (context) => {
  const open = desk(PLAIN);
  const { uri } = await open.pages.open(CHAT, compactionOf(), {});
  stand(context, vscode.Uri.file("/notes.md"), uri);
  await openPlain(open, 40);
  await until(() => kept(open, "plain").length === 31);
  assert.ok(kept(open).includes(`${KEY}.json`));
});

test("where nothing can be kept, saving goes on", async () => {
  const open = desk(PLAIN);
  writeFileSync(join(open.storage, "pages"), "in the way");
  await editedPage(open);
  assert.equal(open.document().isDirty, false);
});
