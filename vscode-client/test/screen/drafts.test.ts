/** Drafts as documents: the text is the message, and what a person makes of it is a change of the draft. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { addressOf, Drafts, fileName, messageOf } from "../../src/screen/drafts";
import type { Draft, DraftParams } from "../../src/wire";
import { FileSystemError, Uri, workspace } from "../fakes/vscode";
import { draftOf, madeHouse, openDocument, type Recorded, recordedEditor } from "../made";

let recorded: Recorded;

beforeEach(() => {
  recorded = recordedEditor();
});

/** A house whose server has one draft, and makes each text and each change a new version. */
function scene(first = draftOf("One.")) {
  const versions = [first];
  const newest = () => versions.at(-1) as Draft;
  const draft = ({ version, text, options }: DraftParams): Draft => {
    if (text !== undefined && version !== newest().version) {
      throw new Fault("draftOutdated", "It has changed.", { draft: newest() });
    }
    if (options || (text && text !== messageOf(newest()))) {
      versions.push(draftOf(text ?? "From options.", newest().version + 1));
    }
    return newest();
  };
  const house = madeHouse(recorded, { answers: { draft } });
  return { house, uri: addressOf(first) as never, versions, newest };
}

const textIn = (data: Uint8Array) => new TextDecoder().decode(data);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a document holds exactly the message", async () => {
  const { house, uri } = scene(draftOf("Grüße.\r\nTwo."));
  assert.equal(textIn(await house.drafts.readFile(uri)), "Grüße.\nTwo.");
  assert.deepEqual(recorded.asked, [["draft", { draftId: "0123456789abcdef" }]]);
});

test("an address has the draft's id and a title that every file system takes", () => {
  assert.equal(String(addressOf(draftOf("x"))), "compact-chat://0123456789abcdef/Build%20the%20parser.md");
  assert.equal(fileName('../a:b*"<c>|\n#%'), "a b c");
  assert.equal(fileName(null), "Compacted chat");
});

test("an address of version 0.1 leads to the draft of its compaction", async () => {
  const { house } = scene();
  const uri = Uri.parse("compact-chat:/0123456789abcdef/Old.md") as never;
  assert.equal(textIn(await house.drafts.readFile(uri)), "One.");
});

test("a text that is saved changes the draft; the same text does not", async () => {
  const { house, uri, newest } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.of(uri);
  await document.save();
  assert.equal(newest().version, 1);
  document.type("Two.");
  await document.save();
  assert.equal(messageOf(newest()), "Two.");
  assert.deepEqual(recorded.asked.at(-1), ["draft", { draftId: "0123456789abcdef", version: 1, text: "Two." }]);
});

test("a change of the draft becomes the document's text", async () => {
  const { house, uri } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.change({ draftId: "0123456789abcdef", version: 1, options: { summaryBudget: 9 } });
  await settled();
  assert.deepEqual([document.text, document.isDirty], ["From options.", false]);
  assert.equal(recorded.asked.length, 1);
});

test("what is typed counts before a change of the page, which then is made on a newer version", async () => {
  const { house, uri, versions } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.of(uri);
  document.type("Typed.");
  await house.drafts.change({ draftId: "0123456789abcdef", version: 1, options: {} });
  assert.deepEqual(versions.map(messageOf), ["One.", "Typed.", "From options."]);
});

test("what is typed while the server works is not overwritten", async () => {
  const document = { type: (_text: string): unknown => undefined };
  const draft = ({ options }: DraftParams) => {
    if (options) {
      document.type("Typed.");
    }
    return draftOf(options ? "From options." : "One.");
  };
  const house = madeHouse(recorded, { answers: { draft } });
  const opened = Object.assign(document, openDocument(house, addressOf(draftOf("")) as never, "One."));
  await house.drafts.change({ draftId: "0123456789abcdef", options: {} });
  await settled();
  assert.equal(opened.getText(), "Typed.");
});

test("an edit of a text that was changed elsewhere is refused, and stays in the document", async () => {
  const { house, uri, versions } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.of(uri);
  versions.push(draftOf("Elsewhere.", 2));
  document.type("Mine.");
  await assert.rejects(house.drafts.settled(uri), { kind: "draftOutdated" });
  assert.deepEqual([versions.length, document.text, document.isDirty], [2, "Mine.", true]);
  assert.equal((await house.drafts.of(uri)).version, 2);
  assert.equal(await document.save(), false, "the editor asks a person first");
});

test("an edit is saved over a newer version with the same text that the window knows", async () => {
  const { house, uri, versions, newest } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.of(uri);
  document.type("Mine.");
  versions.push(draftOf("One.", 2));
  await assert.rejects(house.drafts.change({ draftId: "none", version: 1, text: "x" }), { kind: "draftOutdated" });
  assert.equal(await document.save(), true);
  assert.deepEqual([newest().version, messageOf(newest())], [3, "Mine."]);
});

test("what was typed while the page changed the text does not overwrite that", async () => {
  const { house, uri, versions } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.of(uri);
  house.drafts.onChanged(({ conflict }) => conflict ?? document.type("Mine."));
  await house.drafts.change({ draftId: "0123456789abcdef", version: 1, options: {} });
  await document.save();
  assert.equal(versions.map(messageOf).includes("Mine."), false);
});

test("an undo of a text that was changed elsewhere overwrites nothing", async () => {
  const { house, uri, versions } = scene();
  const document = openDocument(house, uri, "One.");
  await house.drafts.of(uri);
  document.type("Two.");
  await document.save();
  versions.push(draftOf("Elsewhere.", 3));
  document.type("One.");
  assert.equal(await document.save(), false);
  assert.equal(versions.length, 3);
});

test("a change that was refused as outdated shows the draft as it is", async () => {
  const { house, uri, versions } = scene();
  await house.drafts.of(uri);
  versions.push(draftOf("Elsewhere.", 2));
  await assert.rejects(house.drafts.change({ draftId: "0123456789abcdef", version: 1, text: "x" }), {
    kind: "draftOutdated",
  });
  assert.equal(textIn(await house.drafts.readFile(uri)), "Elsewhere.");
});

test("where there is no draft, the document says why, and looks again once the server runs", async () => {
  let isGone = true;
  const draft = () => {
    if (isGone) {
      throw new Fault("compactionNotFound", "There is no such compaction.");
    }
    return draftOf("Back.");
  };
  const house = madeHouse(recorded, { answers: { draft } });
  const uri = addressOf(draftOf("")) as never;
  assert.match(textIn(await house.drafts.readFile(uri)), /There is no such compaction\./);
  assert.equal((await house.drafts.stat(uri)).permissions, 1);
  await assert.rejects(house.drafts.of(uri), { kind: "compactionNotFound" });

  isGone = false;
  workspace.textDocuments.push({ uri, isClosed: false } as never);
  const changed: unknown[] = [];
  house.drafts.onDidChangeFile((events) => void changed.push(...events));
  (house.server as unknown as { fire(state: string): void }).fire("running");
  assert.equal(changed.length, 1);
  assert.equal(textIn(await house.drafts.readFile(uri)), "Back.");
});

test("a text that cannot be saved is refused in one sentence", async () => {
  const draft = ({ text }: DraftParams) => {
    if (text !== undefined) {
      throw new Fault("serverFailed", "The server stopped.");
    }
    return draftOf("One.");
  };
  const house = madeHouse(recorded, { answers: { draft } });
  const saving = house.drafts.writeFile(addressOf(draftOf("")) as never, new TextEncoder().encode("x"));
  await assert.rejects(saving, FileSystemError);
});

test("nothing but the message of a draft can be written there", () => {
  const { house, uri } = scene();
  for (const act of [house.drafts.createDirectory, house.drafts.delete, house.drafts.rename]) {
    assert.throws(() => act.call(house.drafts, uri), FileSystemError);
  }
  assert.ok(house.drafts instanceof Drafts);
});
