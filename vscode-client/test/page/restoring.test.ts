/** A page is made again after a reload of the window: with its edits, and with the versions before. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { addressOf } from "../../src/page/address";
import { CHAT, desk, until } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";

const PLAIN = { check: () => ({ survival: survivalOf({ commands: ["make"] }), warnings: [], continuation: "" }) };

/** Says whether what is kept of the page has a text in it by now. */
function isKept(storage: string, text: string): boolean {
  const file = join(storage, "pages", "edited", `${KEY}.json`);
  return existsSync(file) && readFileSync(file, "utf8").includes(text);
}

test("after a reload a page is there again, with its edits and without a question", async () => {
  const first = desk(PLAIN);
  const page = await first.pages.open(CHAT, compactionOf(), { style: "detailed" });
  first.document().type((text) => text.replace("build it", "build it twice"));
  await first.document().save();
  const second = desk(
    { ...PLAIN, restore: () => ({ compaction: compactionOf(), uri: null, archive: null }) },
    first.storage,
  );
  const again = await second.pages.of(page.uri);
  assert.match(again?.shown.body ?? "", /build it twice/);
  assert.equal(again?.chat.title, "A chat");
  assert.ok(second.asked.every(({ asking }) => asking.quietly));
});

test("a window that is loaded anew finds what was kept, also while the one before still holds its storage", async () => {
  const folder = mkdtempSync(join(tmpdir(), "storage"));
  const first = desk(PLAIN, join(folder, "-6dceb61f", "compact-chat.compact-chat"));
  const page = await first.pages.open(CHAT, compactionOf(), {});
  first.document().type((text) => text.replace("build it", "build it twice"));
  await first.document().save();
  const restore = () => ({ compaction: compactionOf(), uri: null, archive: null });
  const second = desk({ ...PLAIN, restore }, join(folder, "-6dceb61f-1", "compact-chat.compact-chat"));
  assert.match((await second.pages.of(page.uri))?.shown.body ?? "", /build it twice/);
  rmSync(folder, { recursive: true });
});

test("a reload leaves the versions before too, each with its own edits", async () => {
  const first = desk(PLAIN);
  const page = await first.pages.open(CHAT, compactionOf(), { style: "detailed" });
  first.document().type((text) => text.replace("build it", "build it twice"));
  await first.document().save();
  const better = compactionOf({ compactionId: "better00", continuation: "Better." });
  await first.pages.show(page, { compaction: better, body: "Better." }, { style: "brief" });
  await until(() => isKept(first.storage, "better00"));
  const restore = ({ compactionId }: { compactionId: string }) => ({
    compaction: compactionId === KEY ? compactionOf() : better,
    uri: null,
    archive: null,
  });
  const again = await desk({ ...PLAIN, restore }, first.storage).pages.of(page.uri);
  assert.deepEqual([again?.shown.body, again?.options], ["Better.", { style: "brief" }]);
  assert.equal(again?.turnBack(), true);
  assert.match(again?.shown.body ?? "", /build it twice/);
  assert.deepEqual(again?.options, { style: "detailed" });
});

test("a version before that is gone from the archive does not hide the others", async () => {
  const first = desk(PLAIN);
  const page = await first.pages.open(CHAT, compactionOf(), {});
  const better = compactionOf({ compactionId: "better00", continuation: "Better." });
  await first.pages.show(page, { compaction: better, body: "Better." });
  await until(() => isKept(first.storage, "better00"));
  const restore = async ({ compactionId }: { compactionId: string }) => {
    if (compactionId === KEY) {
      throw new Fault("compactionNotFound", "No compaction has this id.");
    }
    return { compaction: better, uri: null, archive: null };
  };
  const again = await desk({ ...PLAIN, restore }, first.storage).pages.of(page.uri);
  assert.equal(again?.shown.body, "Better.");
  assert.equal(again?.turnBack(), false);
});

test("where nothing was kept, the history tells the title and the archive the chat", async () => {
  const past = { compactionId: KEY, title: "From history", uri: null };
  const restore = () => ({ compaction: compactionOf(), uri: null, archive: "file:///archive/1" });
  const { pages } = desk({ ...PLAIN, restore, history: () => ({ compactions: [past] }) });
  const page = await pages.of(addressOf(KEY, "x"));
  assert.equal(page?.chat.title, "From history");
  assert.deepEqual(page?.chat.ref, { uri: "file:///archive/1" });
});
