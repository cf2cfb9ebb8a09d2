/** Changing a page, from the first list to the new result. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { changeCommands } from "../../src/change/commands";
import type { House, Page, Version } from "../../src/house";
import type { Compaction, Options, Preview } from "../../src/wire";
import { commands, QuickPick, window, workspace } from "../fakes/vscode";
import { type Asked, afterwards, fateOf, previewOf, serverAsked } from "./made";

interface Row {
  readonly id: string;
  readonly buttons?: readonly { readonly iconPath: { readonly id: string } }[];
}

const usual = { window: { ...window }, commands: { ...commands } };

afterEach(() => {
  Object.assign(window, usual.window);
  Object.assign(commands, usual.commands);
  workspace.settings.clear();
});

test("compacting again carries out the plan that was seen, without a model, and shows it on the page", async () => {
  const stage = await staged({ pin: ["m1"] });
  stage.choose("again");
  const asked = await stage.question("summarize");
  assert.deepEqual(asked.params, { planId: "plan", provider: "offline" });
  await asked.answer({ continuation: "Go on." });
  await stage.done;
  assert.deepEqual(stage.shown, [{ body: "Go on.", options: { pin: ["m1"] } }]);
});

test("where the text was edited, the list says that the edits do not come along", async () => {
  const stage = await staged({}, previewOf(), "Go on, please.");
  assert.match(stage.list().title ?? "", /tokens · your edits stay with the text of now$/);
});

test("Escape on the first list leaves the page as it was", async () => {
  const stage = await staged();
  stage.list().hide();
  await stage.done;
  assert.deepEqual(stage.shown, []);
  assert.equal(stage.asked.length, 1);
});

test("a chat that has grown meanwhile is compacted as it is now, by the same options", async () => {
  const stage = await staged({ minKeep: 2 });
  stage.choose("again");
  await (await stage.question("summarize")).refuse("planOutdated", "The chat has changed.");
  const again = await stage.question("summarize");
  assert.deepEqual(again.params, { chat: { uri: "file:///chat.jsonl" }, options: { minKeep: 2 }, provider: "offline" });
  await again.answer({ continuation: "Go on." });
  await stage.done;
  assert.equal(stage.shown.length, 1);
});

test("a chat that is gone is planned anew from its archived original", async () => {
  const stage = await staged({ pin: ["m1"] }, null);
  await stage.asked[0]?.refuse("chatNotFound", "There is no such file.");
  const asked = await stage.question("preview");
  assert.deepEqual(asked.params, { chat: { uri: "file:///archive/1" }, options: { pin: ["m1"] } });
  await asked.answer(previewOf());
  stage.choose("again");
  await (await stage.question("summarize")).refuse("planOutdated", "Forgotten.");
  assert.deepEqual((await stage.question("summarize")).params, {
    chat: { uri: "file:///archive/1" },
    options: { pin: ["m1"] },
    provider: "offline",
  });
});

test("a message is pinned by the button of its row, and the list keeps its place and what was typed", async () => {
  const stage = await staged();
  stage.choose("messages");
  await afterwards();
  const list = stage.list();
  list.type("second");
  const [, row] = list.items;
  assert.ok(row);
  list.press(row, row.buttons?.[0]);
  const asked = await stage.question("preview");
  assert.deepEqual(asked.params.options, { pin: ["m2"] });
  assert.ok(list.busy);
  await asked.answer(previewOf({ after: 5450, messages: [fateOf(), fateOf({ id: "m2", index: 1, fate: "pin" })] }));
  assert.equal(list.title, "128,412 → about 5,450 tokens");
  assert.equal(list.activeItems[0]?.id, "m2");
  assert.equal(list.value, "second");
  assert.ok(list.isShown);
});

test("the same button takes the pin back", async () => {
  const stage = await staged({ pin: ["m2"] });
  stage.choose("messages");
  await afterwards();
  const row = stage.list().items[1];
  assert.ok(row);
  stage.list().press(row, row.buttons?.[0]);
  assert.deepEqual((await stage.question("preview")).params.options, {});
});

test("by keyboard a row leads to its choices, and back to the list at the same place", async () => {
  const stage = await staged();
  stage.choose("messages");
  await afterwards();
  stage.list().type("fix");
  window.showQuickPick = async (items) => (items as { deed: string }[]).find(({ deed }) => deed === "from");
  stage.choose("m2");
  const asked = await stage.question("preview");
  assert.deepEqual(asked.params.options, { scope: { kind: "from", message: "m2" } });
  await asked.answer(previewOf());
  assert.equal(stage.list().value, "fix");
  assert.equal(stage.list().activeItems[0]?.id, "m2");
});

test("the whole message is shown by a button too, beside the page and not beside what was shown before", async () => {
  const stage = await staged();
  const document = { uri: stage.page.uri };
  const seen: unknown[] = [];
  Object.assign(window, {
    visibleTextEditors: [{ document, viewColumn: 1 }],
    showTextDocument: async (...given: unknown[]) => seen.push(given),
  });
  commands.executeCommand = async (...given) => seen.push(given);
  stage.choose("messages");
  await afterwards();
  const row = stage.list().items[1];
  assert.ok(row);
  stage.list().press(row, row.buttons?.[2]);
  await afterwards();
  assert.deepEqual(seen, [
    [document, { viewColumn: 1, preview: false }],
    ["compactChat.ui.showMessage", stage.page.uri, "m2"],
  ]);
  assert.equal(stage.list().activeItems[0]?.id, "m2");
});

test("Escape in the list of messages leads to the first list, with the choices in it", async () => {
  const stage = await staged({ drop: ["m1"] });
  stage.choose("messages");
  await afterwards();
  stage.list().hide();
  await afterwards();
  assert.equal(stage.list().items[0]?.id, "again");
});

test("a plan that changes nothing is not carried out", async () => {
  const stage = await staged({}, previewOf({ action: "none", reason: "The chat is too short." }));
  stage.choose("again");
  await afterwards();
  assert.equal(stage.asked.length, 1);
  assert.equal(stage.list().title, "128,412 tokens: The chat is too short.");
});

test("compacting again waits for the last choice, and asks anew where the server refuses that", async () => {
  const stage = await staged();
  window.showInputBox = async () => "0";
  stage.choose("newest");
  const asked = await stage.question("preview");
  assert.deepEqual(asked.params.options, { minKeep: 0 });
  stage.choose("again");
  await asked.refuse("invalidParams", "$.options.minKeep: No.");
  assert.equal(stage.asked.length, 2);
  assert.equal(stage.list().title, "Taken back: No.");
});

test("what is said against the plan itself leads back to the lists, with every choice in them", async () => {
  const stage = await staged({ pin: ["m1"] });
  stage.choose("again");
  await (await stage.question("summarize")).refuse("noGain", "The result would be no smaller.");
  assert.equal(stage.list().title, "The result would be no smaller.");
  stage.choose("again");
  const again = await stage.question("summarize");
  await again.refuse("cancelled", "Stopped; nothing was changed.");
  assert.equal(stage.list().title, "Stopped; nothing was changed.");
  stage.choose("again");
  await (await stage.question("summarize")).answer({ continuation: "Go on." });
  await stage.done;
  assert.deepEqual(stage.shown, [{ body: "Go on.", options: { pin: ["m1"] } }]);
});

test("a server that fails ends the lists, since its own button helps", async () => {
  const stage = await staged();
  stage.choose("again");
  const ended = assert.rejects(stage.done, { kind: "serverFailed" });
  await (await stage.question("summarize")).refuse("serverFailed", "The server ended.");
  await ended;
});

test("a model that began to write while the lists were open is not written over", async () => {
  const stage = await staged();
  Object.assign(stage.page, { isWriting: true });
  stage.choose("again");
  const ended = assert.rejects(stage.done, { kind: "busy" });
  await (await stage.question("summarize")).answer({ continuation: "Go on." });
  await ended;
  assert.deepEqual(stage.shown, []);
});

test("Enter where no row fits what was typed changes nothing, and leaves the list open", async () => {
  const stage = await staged({ pin: ["m1"] });
  const list = stage.list();
  list.type("no such row");
  list.accept();
  await afterwards();
  assert.ok(list.isShown);
});

test("an empty focus takes the focus away", async () => {
  const stage = await staged({ instructions: "the parser" });
  window.showInputBox = async () => "  ";
  stage.choose("focus");
  assert.deepEqual((await stage.question("preview")).params.options, {});
});

test("a reset forgets every choice, and lays the summary out as the settings say", async () => {
  workspace.settings.set("compactChat.style", "brief");
  const stage = await staged({ pin: ["m1"], style: "checkpoint" });
  stage.choose("reset");
  assert.deepEqual((await stage.question("preview")).params.options, { style: "brief" });
});

test("without a page, and while a model writes on it, one sentence says what to do", async () => {
  const run = (page: unknown) => changeCommands({ pages: { of: async () => page } } as unknown as House).change?.();
  await assert.rejects(async () => run(undefined), { message: /Compact Chat/ });
  await assert.rejects(async () => run({ isWriting: true }), { message: /stop it first/ });
});

interface Stage {
  readonly page: Page;
  readonly asked: Asked[];
  readonly shown: { body: string; options: Options | undefined }[];
  readonly done: Promise<unknown>;
  /** The list that was opened last. */
  list(): QuickPick<Row>;
  choose(id: string): void;
  /** Waits for a new question. */
  question(name: string): Promise<Asked>;
}

/** Opens the lists of a page; without a preview, the question for the first one stays open. */
async function staged(options: Options = {}, preview: Preview | null = previewOf(), body = "Go on."): Promise<Stage> {
  const { server, asked } = serverAsked();
  const lists: QuickPick<Row>[] = [];
  window.createQuickPick = () => lists[lists.push(new QuickPick<Row>()) - 1];
  const shown: Stage["shown"] = [];
  const page = {
    chat: { ref: { uri: "file:///chat.jsonl" } },
    options,
    isWriting: false,
    uri: "compact-chat:/1",
  } as unknown as Page;
  const show = async (_: Page, { body }: Version & { compaction: Compaction }, after?: Options) => {
    shown.push({ body, options: after });
  };
  const current = () => ({
    body,
    compaction: { continuation: "Go on.", summary: "Go on.", archive: "file:///archive/1" },
  });
  const house = { server, pages: { of: async () => page, show, current } } as unknown as House;
  const done = Promise.resolve(changeCommands(house).change?.());
  await afterwards();
  await (preview && asked[0]?.answer(preview));
  let seen = 1;
  const list = () => lists.at(-1) ?? assert.fail("no list is open");
  const choose = (id: string) =>
    list().choose(list().items.find((row) => row.id === id) ?? assert.fail(`no row ${id}`));
  const question = async (name: string) => {
    await afterwards();
    const found = asked[seen] ?? assert.fail("nothing new was asked");
    seen += 1;
    assert.equal(found.name, name);
    return found;
  };
  return { page, asked, shown, done, list, choose, question };
}
