/** What was lost comes back into the message with one click, and is checked again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import type { Asking } from "../../src/house";
import { putAllBack, putBack } from "../../src/page/putBack";
import { HEADING } from "../../src/page/putting";
import * as vscode from "../fakes/vscode";
import { CHAT, desk, until } from "./desk";
import { BEHIND, compactionOf, survivalOf } from "./made";
import { stopped } from "./progress";

const LONG = `${"Please build the house. ".repeat(30)}`.trim();
const LOST = survivalOf({ commands: ["make test"], userMessages: ["Please build the house.…"] });
const ANSWERS = {
  check: () => ({ survival: LOST, warnings: [], continuation: "" }),
  transcript: () => ({ messages: [{ id: "message-0", text: LONG }] }),
};

async function opened() {
  const open = desk(ANSWERS);
  const page = await open.pages.open(CHAT, compactionOf({ survival: LOST }), {});
  return { ...open, page };
}

test("one fact is put in front of the messages that follow the summary, saved, and checked again", async () => {
  const { house, page, document, asked, pages } = await opened();
  await putBack(house, page, "commands:0");
  const { body } = pages.current(page);
  assert.ok(body.endsWith(`${HEADING}\n\n- Command that was run: make test${BEHIND}`));
  assert.equal(document().isDirty, false);
  await until(() => asked.filter(({ name }) => name === "check").length === 2);
});

test("a message that is told shortened comes back whole, out of the original that was compacted", async () => {
  const { house, page, pages, asked } = await opened();
  await putBack(house, page, "userMessages:0");
  assert.ok(pages.current(page).body.includes(`- The user wrote: ${LONG}`));
  const { compactionId } = page.versions[0].compaction;
  assert.deepEqual(asked.find(({ name }) => name === "transcript")?.params, { compactionId, ids: ["message-0"] });
});

test("what cannot be had whole is not put back cut: alone that is an error, among others it is not counted", async () => {
  const told: string[] = [];
  vscode.window.showInformationMessage = async (...[sentence]: unknown[]) => void told.push(String(sentence));
  const gone = () => Promise.reject(new Fault("chatNotFound", "Gone."));
  const open = desk({ ...ANSWERS, transcript: gone });
  const page = await open.pages.open(CHAT, compactionOf({ survival: LOST }), {});
  await assert.rejects(putBack(open.house, page, "userMessages:0"), { kind: "chatNotFound" });
  assert.equal(open.pages.current(page).body, compactionOf().continuation);
  await putAllBack(open.house, page);
  assert.match(open.pages.current(page).body, /make test/);
  assert.match(told[0] ?? "", /^1 put back, about \d+ tokens more\. 1 are left/);
});

test("all that has to be looked up is asked for at once; of a chat that lacks one of them, the others come back", async () => {
  const lost = survivalOf({ userMessages: ["One…", "Two…", "Three…"] });
  const messages = ["One and more.", "Two and more.", "Four."].map((text, place) => ({
    id: `message-${place === 2 ? 4 : place}`,
    text,
  }));
  for (const [known, expected] of [
    [[...messages, { id: "message-2", text: "Three and more." }], [["message-0", "message-1", "message-2"]]],
    [messages, [["message-0", "message-1", "message-2"], undefined]],
  ] as const) {
    const transcript = ({ ids }: { ids?: string[] }) => {
      if (ids?.some((id) => known.every((one) => one.id !== id))) {
        throw new Fault("messageNotFound", "$.ids[2] is no message's id.");
      }
      return { messages: known };
    };
    const open = desk({ ...ANSWERS, transcript });
    const page = await open.pages.open(CHAT, compactionOf({ survival: lost }), {});
    await putAllBack(open.house, page);
    const { body } = open.pages.current(page);
    assert.deepEqual(
      ["One and more.", "Two and more."].map((text) => body.includes(text)),
      [true, true],
    );
    assert.equal(body.includes("Three"), known.length === 4);
    const asked = open.asked.filter(({ name }) => name === "transcript");
    assert.deepEqual(
      asked.map(({ params }) => (params as { ids?: string[] }).ids),
      expected,
    );
  }
});

test("a person who waits for all that is lost can stop it, and then nothing is put back", async (context) => {
  const transcript = (_params: unknown, { token }: Asking) =>
    new Promise((_, reject) => token?.onCancellationRequested(() => reject(new Fault("cancelled", "Stopped."))));
  const open = desk({ ...ANSWERS, transcript });
  const page = await open.pages.open(CHAT, compactionOf({ survival: LOST }), {});
  await assert.rejects(
    stopped(context, () => putAllBack(open.house, page)),
    { kind: "cancelled" },
  );
  assert.equal(open.pages.current(page).body, compactionOf().continuation);
});

test("a fact that is put back twice stands there once", async () => {
  const { house, page, pages } = await opened();
  await putBack(house, page, "commands:0");
  const once = pages.current(page).body;
  await putBack(house, page, "commands:0");
  assert.equal(pages.current(page).body, once);
});

test("what is typed and not saved stays, also with line ends of Windows", async () => {
  const { house, page, document, pages } = await opened();
  document().type((text) => text.replace("build it", "build it twice").replaceAll("\n", "\r\n"));
  await putBack(house, page, "commands:0");
  assert.match(pages.current(page).body, /build it twice[\s\S]*make test/);
  assert.equal(document().getText().split("compact-chat:").length, 2);
});

test("all comes back at once, and a sentence says how much that is", async () => {
  const told: string[] = [];
  vscode.window.showInformationMessage = async (...[sentence]: unknown[]) => void told.push(String(sentence));
  const { house, page, pages } = await opened();
  await putAllBack(house, page);
  const { body } = pages.current(page);
  assert.ok(body.includes("make test") && body.includes(LONG));
  assert.match(told[0] ?? "", /^2 put back, about \d+ tokens more\.$/);
});

test("only the lines that are added are written, so that the cursor stays where it is", async () => {
  const { house, page, document } = await opened();
  const edits: vscode.Range[] = [];
  const applyEdit = vscode.workspace.applyEdit as (edit: vscode.WorkspaceEdit) => Promise<boolean>;
  Object.assign(vscode.workspace, {
    applyEdit: (edit: vscode.WorkspaceEdit) => {
      edits.push(...edit.replaced.map(({ range }) => range));
      return applyEdit(edit);
    },
  });
  const line = document().getText().split("\n").indexOf("## Recent messages");
  await putBack(house, page, "commands:0");
  assert.deepEqual(edits, [new vscode.Range(line, 0, line, 0)]);
});

test("two facts that are put back at once both stand there", async () => {
  const { house, page, pages } = await opened();
  await Promise.all([putBack(house, page, "userMessages:0"), putBack(house, page, "commands:0")]);
  const { body } = pages.current(page);
  assert.ok(body.includes("make test") && body.includes(LONG));
});

test("an id that is not lost any more changes nothing", async () => {
  const { house, page, pages } = await opened();
  await putBack(house, page, "commands:99");
  assert.equal(pages.current(page).body, compactionOf().continuation);
});
