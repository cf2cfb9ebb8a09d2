/** The check of what a tool's own compaction lost, as a person reads it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import type { Asking, House } from "../../src/house";
import { checkLast } from "../../src/page/checkLast";
import { copyLost } from "../../src/page/copyLost";
import { showAllLost } from "../../src/page/lost";
import { type LostFacts, type Paper, Papers } from "../../src/page/papers";
import * as vscode from "../fakes/vscode";
import { CHAT, desk } from "./desk";
import { survivalOf } from "./made";
import { stopped } from "./progress";

class Shown extends Papers {
  readonly all: Paper[] = [];

  override async show(paper: Paper) {
    this.all.push(paper);
    return vscode.Uri.parse("compact-chat-paper:/1/x.md") as never;
  }

  override of(): Paper | undefined {
    return this.all.at(-1);
  }
}

const LOST = Array.from({ length: 9 }, (_, place) => `make ${place}`);
const REPLACED = { chat: CHAT.ref, replaced: true };

async function checked(survival = survivalOf({ commands: LOST, userMessages: ["Please build…"] })) {
  const check = () => ({ survival, warnings: [], continuation: "" });
  const transcript = () => ({ messages: [{ id: "message-0", text: "Please build the house." }] });
  const open = desk({ check, transcript });
  const house = Object.assign(open.house, { chats: { wanted: async () => CHAT } }) as House;
  const papers = new Shown();
  await checkLast(house, papers);
  return { house, papers, asked: open.asked };
}

test("what a tool's own compaction lost is listed, each with a link to where it was said and none to put it back", async () => {
  const { house, papers } = await checked();
  await showAllLost(house, papers, vscode.Uri.parse("compact-chat-paper:/1/x.md") as never, "commands");
  const [first, all] = papers.all;
  assert.ok(first?.sheet.lines.includes("  - `make 0` [show]"));
  assert.deepEqual(new Set(first?.sheet.spots.map(({ act }) => act)), new Set(["show", "all"]));
  assert.deepEqual(first?.lost?.origin.from, REPLACED);
  assert.ok(all?.sheet.lines.includes("  - `make 8` [show]"));
});

test("all of it is copied whole, as a text for the chat that goes on", async () => {
  const { house, papers, asked } = await checked();
  const [copy, compact] = papers.all[0]?.actions ?? [];
  const told: string[] = [];
  vscode.window.showInformationMessage = async (...[sentence]: unknown[]) => void told.push(String(sentence));
  assert.deepEqual([copy?.title, compact?.title], ["Copy What Was Lost", "Compact Chat"]);
  let text = "";
  vscode.env.clipboard.writeText = async (copied) => {
    text = copied;
  };
  await copyLost(house, copy?.arguments?.[0]);
  assert.match(text, /^The last compaction of this chat left out what follows\./);
  assert.ok(text.includes("\n- Command that was run: make 8\n"));
  assert.ok(text.includes("\n- The user wrote: Please build the house.\n"));
  assert.deepEqual(asked.at(-1)?.params, { ...REPLACED, ids: ["message-0"] });
  assert.deepEqual(told, ["Copied: paste it into the chat that was compacted."]);
});

test("stopped, the clipboard is left as it is", async (context) => {
  const { house, papers } = await checked();
  const [copy] = papers.all[0]?.actions ?? [];
  const copied: string[] = [];
  vscode.env.clipboard.writeText = async (text) => void copied.push(text);
  const answer = (token: Asking["token"]) =>
    new Promise((_, reject) => token?.onCancellationRequested(() => reject(new Fault("cancelled", "Stopped."))));
  Object.assign(house.server, { ask: (_name: string, _params: unknown, { token }: Asking) => answer(token) });
  await assert.rejects(
    stopped(context, () => copyLost(house, copy?.arguments?.[0])),
    { kind: "cancelled" },
  );
  assert.deepEqual(copied, []);
});

test("what is gone meanwhile is told, and nothing is copied in its place", async () => {
  const { house, papers } = await checked(survivalOf({ userMessages: ["Please bake…"] }));
  const { lost } = papers.all[0] as Paper;
  vscode.env.clipboard.writeText = async () => assert.fail("something was copied");
  Object.assign(house.server, { ask: async () => ({ messages: [] }) });
  await assert.rejects(copyLost(house, lost as LostFacts), { kind: "messageNotFound" });
});

test("a chat that no tool compacted and one whose compaction cannot be read are told apart", async () => {
  for (const [recorded, said] of [
    [false, /No tool has compacted this chat yet/],
    [true, /left no summary that can be read/],
  ] as const) {
    const check = () => Promise.reject(new Fault("nothingToCompact", "Nothing.", { recorded }));
    const house = Object.assign(desk({ check }).house, { chats: { wanted: async () => CHAT } }) as House;
    await assert.rejects(checkLast(house, new Shown()), said);
  }
});

test("nothing is offered to be copied where nothing was lost", async () => {
  const { papers } = await checked(survivalOf({}));
  assert.deepEqual(
    papers.all[0]?.actions.map(({ title }) => title),
    ["Compact Chat"],
  );
});
