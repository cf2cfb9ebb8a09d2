/** Pages are files that a person can edit: what stands there is what goes on, and what is said of it is true. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { addressOf, fileName, keyOf } from "../../src/page/address";
import type { Compaction } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { CHAT, desk, until } from "./desk";
import { compactionOf, KEY, ODD, survivalOf } from "./made";

const CHECKED = { survival: survivalOf({ commands: ["make"] }), warnings: [], continuation: "" };
const PLAIN = { check: () => CHECKED };

test("an unedited page gives its compaction, and asks the server for nothing but a check", async () => {
  const { pages, asked } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  assert.equal(pages.current(page).body, compactionOf().continuation);
  assert.equal(await pages.settled(page), page.versions[0].compaction);
  assert.deepEqual(
    asked.map(({ name }) => name),
    ["check"],
  );
});

test("what is typed counts before it is saved", async () => {
  const { pages, document } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  document().type((text) => text.replace("build it", "build it twice"));
  assert.match(pages.current(page).body, /build it twice/);
  assert.equal(page.versions[0].body, compactionOf().continuation);
});

test("a saved edit is checked again, and the report tells of it without touching what stands below", async () => {
  const { pages, document, asked } = desk(PLAIN);
  await pages.open(CHAT, compactionOf(), {});
  await until(() => document().getText().includes("Commands: 1 of 2"));
  document().type((text) => `${text.replace("build it", "build it twice")}typing \n`);
  await document().save();
  await until(() => asked.length === 2);
  await until(() => document().getText().includes("about"));
  assert.match(JSON.stringify(asked[1]?.params), /build it twice/);
  assert.ok(document().getText().endsWith("typing \n"));
  assert.ok(!document().getText().includes("before your last edit"));
});

test("what is typed while the check is under way stays, and can be saved", async () => {
  const { pages, document, asked } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  document().type((text) => text.replace("build it", "build one"));
  await document().save();
  document().type((text) => text.replace("build one", "build two"));
  await until(() => asked.length === 2);
  assert.match(document().getText(), /build two/);
  await document().save();
  assert.match(pages.current(page).body, /build two/);
});

test("the time of a file never moves, so that no save is ever a conflict, and its size is another one with each change", async () => {
  const { pages, document, files } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  const sizes: number[] = [];
  for (const word of ["aaa", "bbb", "ccc"]) {
    document().type((text) => text.replace(/build (it|\w{3})/, `build ${word}`));
    await document().save();
    const { mtime, size } = await files.stat(page.uri as never);
    assert.equal(mtime, 1);
    assert.notEqual(size, sizes.at(-1));
    sizes.push(size);
  }
});

test("an edited summary is checked and archived by its plan, once for each text", async () => {
  const settled = compactionOf({ compactionId: "edited00", provider: "host" });
  const { pages, document, asked } = desk({ ...PLAIN, summarize: () => settled });
  const page = await pages.open(CHAT, compactionOf(), {});
  document().type((text) => text.replace("build it", "build it twice"));
  assert.equal(await pages.settled(page), settled);
  assert.equal(await pages.settled(page), settled);
  const sent = asked.filter(({ name }) => name === "summarize").map(({ params }) => params);
  const summary = "Summary:\n1. Primary Request and Intent:\n- build it twice";
  assert.deepEqual(sent, [{ planId: "plan", reply: `<summary>\n${summary}\n</summary>` }]);
});

test("a plan that the server forgot is made again where the chat is the same, and refused where it has changed", async () => {
  for (const [planId, expected] of [
    ["plan", "edited00"],
    ["other", "planOutdated"],
  ] as const) {
    let tries = 0;
    const summarize = () => {
      tries += 1;
      if (tries === 1) {
        throw new Fault("planOutdated", "Forgotten.", { reason: "forgotten" });
      }
      return compactionOf({ compactionId: "edited00" });
    };
    const { pages, document } = desk({ ...PLAIN, summarize, preview: () => ({ planId }) });
    const page = await pages.open(CHAT, compactionOf(), {});
    document().type((text) => `${text}more`);
    const result = await pages.settled(page).then(
      (done: Compaction) => done.compactionId,
      (problem: Fault) => problem.kind,
    );
    assert.equal(result, expected);
  }
});

test("of a chat that has grown, an edited summary is made of the archived original", async () => {
  const preview = ({ chat }: { chat: { uri: string } }) => ({
    planId: chat.uri === "file:///archive/1" ? "plan" : "other",
  });
  for (const style of ["detailed", "checkpoint"]) {
    let tries = 0;
    const summarize = () => {
      tries += 1;
      if (tries === 1 && style === "detailed") {
        throw new Fault("planOutdated", "Grown.", { reason: "chatChanged" });
      }
      return compactionOf({ compactionId: "edited00" });
    };
    const { pages, document, asked } = desk({ ...PLAIN, summarize, preview });
    const page = await pages.open(CHAT, compactionOf({ style }), {});
    document().type((text) => `${text}more`);
    assert.equal((await pages.settled(page)).compactionId, "edited00");
    assert.match(JSON.stringify(asked.filter(({ name }) => name === "preview").at(-1)?.params), /archive\/1/);
  }
});

test("what survives is told of the chat as it was compacted; without an archive, of the chat", async () => {
  const warnings = [{ code: "fromOriginal", message: "It works from the original." }];
  for (const [change, uri, original] of [
    [{ archive: "file:///archive/1" }, "file:///archive/1", false],
    [{ archive: "file:///archive/1", warnings }, "file:///archive/1", true],
    [{ archive: "file:///archive/gone" }, "file:///chats/1.jsonl", false],
    [{ archive: null }, "file:///chats/1.jsonl", false],
  ] as const) {
    const check = ({ chat }: { chat: { uri: string } }) =>
      chat.uri === "file:///archive/gone" ? Promise.reject(new Fault("chatNotFound", "Gone.")) : CHECKED;
    const { pages, document, asked } = desk({ check });
    await pages.open(CHAT, compactionOf(change as Partial<Compaction>), {});
    await until(() => document().getText().includes("Commands: 1 of 2"));
    assert.deepEqual(asked.at(-1)?.params, { chat: { uri }, summary: compactionOf().continuation, original });
  }
});

test("an edited summary of a style with a form of its own is taken in the style that takes any text", async () => {
  const { pages, document, asked } = desk({
    ...PLAIN,
    preview: () => ({ planId: "plan" }),
    summarize: () => compactionOf(),
  });
  const page = await pages.open(CHAT, compactionOf({ style: "checkpoint" }), { style: "checkpoint", pin: ["1"] });
  document().type((text) => `${text}more`);
  await pages.settled(page);
  const sent = asked.at(-1)?.params as { options: unknown };
  assert.deepEqual(sent.options, { style: "brief", pin: ["1"] });
});

test("a new version is shown in the place of the old one, which comes back with its edits", async () => {
  const { pages, document } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  document().type((text) => text.replace("build it", "build it twice"));
  const better = compactionOf({ compactionId: "better00", summary: "Summary:\nbetter" });
  await pages.show(page, { compaction: better, body: better.continuation }, { style: "brief" });
  await until(() => document().getText().includes("better"));
  assert.equal(page.options.style, "brief");
  assert.ok((await pages.of(page.uri))?.turnBack());
  await until(() => document().getText().includes("build it twice"));
  assert.equal(page.options.style, undefined);
});

test("what was edited in a newer version is there again behind the first one", async () => {
  const { pages, document } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  const better = compactionOf({ compactionId: "better00", summary: "Summary:\nbetter" });
  await pages.show(page, { compaction: better, body: better.continuation });
  await until(() => document().getText().includes("better"));
  document().type((text) => text.replace("better", "best"));
  await document().save();
  const open = await pages.of(page.uri);
  open?.turnBack();
  await until(() => document().getText().includes("build it"));
  open?.turnBack();
  await until(() => document().getText().includes("best"));
  assert.equal(page.versions.length, 2);
});

test("there is no other version of a page that has one", async () => {
  const { pages } = desk(PLAIN);
  const page = await pages.open(CHAT, compactionOf(), {});
  assert.equal((await pages.of(page.uri))?.turnBack(), false);
  assert.equal(page.versions.length, 1);
});

test("a text that could not be checked again is told as one", async () => {
  const open = desk({ ...PLAIN, check: () => Promise.reject(new Fault("chatNotFound", "Gone.")) });
  await open.pages.open(CHAT, compactionOf({ survival: CHECKED.survival }), {});
  open.document().type((text) => text.replace("build it", "build it twice"));
  await open.document().save();
  await until(() => open.document().getText().includes("before your last edit, which could not be checked"));
});

test("an address of a compaction that is gone shows one sentence, which cannot be edited", async () => {
  const restore = () => Promise.reject(new Fault("compactionNotFound", "No compaction has this id."));
  const { files } = desk({ restore });
  const uri = addressOf(KEY, "x") as never;
  assert.equal(
    new TextDecoder().decode(await files.readFile(uri)),
    "This compaction cannot be shown now. No compaction has this id.\n",
  );
  assert.equal((await files.stat(uri)).permissions, vscode.FilePermission.Readonly);
  await assert.rejects(files.writeFile(uri, new Uint8Array()), /NoPermissions/);
});

test("nothing else is a file there", async () => {
  const { files } = desk({});
  for (const path of ["/", "/settings.json", "/../x.md", `/${KEY}`, `/${KEY}/a/b.md`, "/no-id/x.md"]) {
    await assert.rejects(files.stat(vscode.Uri.from({ scheme: "compact-chat", path })), /FileNotFound/);
  }
});

test("every title makes a name that every file system takes, and the address leads back to the id", () => {
  for (const title of [...ODD, "../../etc/passwd", "a/b\\c:d*e?f", "", null, ".hidden", "x".repeat(10_000)]) {
    const name = fileName(title);
    assert.match(name, /^[^\\/:*?"<>|\p{C}]{1,120}$/u);
    assert.doesNotMatch(name, /^[\s.]|[\s.]$/);
    assert.equal(keyOf(addressOf(KEY, title)), KEY);
  }
});

test("a chat without a title has a name in the language of the editor", () => {
  const { t } = vscode.l10n;
  vscode.l10n.t = () => "Verdichteter Chat";
  assert.equal(fileName(null), "Verdichteter Chat");
  vscode.l10n.t = t;
});
