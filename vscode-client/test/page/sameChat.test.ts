/** A chat that was deleted or moved can still be improved: its original is in the archive. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { improve } from "../../src/page/improve";
import { Papers } from "../../src/page/papers";
import type { ChatRef } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { CHAT, type Desk, desk } from "./desk";
import { compactionOf, survivalOf } from "./made";

const ORIGINAL = { uri: "file:///archive/1" };
const PLAN = {
  planId: "better",
  action: "compact",
  request: { inputTokens: 9, calls: 1 },
  redactions: { total: 0, kinds: {} },
  instructions: [],
};

/** A server for which only some chats are there; of the others it says what is wrong. */
function serverWith(isThere: (chat: ChatRef) => boolean, kind = "chatNotFound"): Desk {
  const answer =
    <Result>(result: Result) =>
    ({ chat }: { chat: ChatRef }) =>
      isThere(chat) ? result : Promise.reject(new Fault(kind, `No ${chat.uri}.`));
  return desk({
    check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
    preview: answer(PLAN),
    prompt: answer({ system: "", messages: [], planId: "better", tokens: 9 }),
  });
}

function chatsOf({ asked }: Desk, wanted: string): unknown[] {
  return asked.filter(({ name }) => name === wanted).map(({ params }) => (params as { chat: unknown }).chat);
}

test("the text that would be sent is made of the archived original where the chat is gone", async () => {
  vscode.window.showInformationMessage = async () => "Show Text";
  for (const kind of ["chatNotFound", "chatUnreadable"]) {
    const open = serverWith(({ uri }) => uri === ORIGINAL.uri, kind);
    const page = await open.pages.open(CHAT, compactionOf(), {});
    await improve(open.house, page, Object.assign(new Papers(), { show: async () => page.uri }));
    assert.deepEqual(chatsOf(open, "preview"), [CHAT.ref, ORIGINAL]);
    assert.deepEqual(chatsOf(open, "prompt"), [CHAT.ref, ORIGINAL]);
  }
});

test("a chat that is there is the one that is sent, as it has grown", async () => {
  vscode.window.showInformationMessage = async () => undefined;
  const open = serverWith(() => true);
  await improve(open.house, await open.pages.open(CHAT, compactionOf(), {}), new Papers());
  assert.deepEqual(chatsOf(open, "preview"), [CHAT.ref]);
});

test("where nothing is archived, and where something else is wrong, that is told", async () => {
  for (const [archive, kind] of [
    [null, "chatNotFound"],
    ["file:///archive/1", "tooLarge"],
  ] as const) {
    const open = serverWith(() => false, kind);
    const page = await open.pages.open(CHAT, compactionOf({ archive }), {});
    await assert.rejects(improve(open.house, page, new Papers()), { kind });
    assert.deepEqual(chatsOf(open, "preview"), [CHAT.ref]);
  }
});
