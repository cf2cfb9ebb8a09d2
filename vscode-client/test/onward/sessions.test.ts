/** The sessions of VS Code: addresses, files, and new ones. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Uri } from "vscode";
import { asId, newSession, sessionAddress, sessionAt, sessionIn } from "../../src/onward/sessions";

const ID = "5c1d0a9e-7d1e-4a3b-9a51-0f8f1d3c2b1a";
const EXPORTED = { responderUsername: "GitHub Copilot", initialLocation: "panel", requests: [{ requestId: "r" }] };
const NAMED = { sessionId: ID, title: "Compacted: x", now: 1_700_000_000_000 };

test("the address of a session holds its id, without padding", () => {
  const address = sessionAddress(ID);
  assert.match(address, /^vscode-chat-session:\/\/local\/[\w-]+$/);
  assert.equal(sessionAt(Uri.parse(address)), ID);
});

test("other addresses, and ids that could lead to another file, are none", () => {
  assert.equal(sessionAt({ scheme: "file", authority: "local", path: "/YQ" }), undefined);
  assert.equal(sessionAt({ scheme: "vscode-chat-session", authority: "cloud", path: "/YQ" }), undefined);
  assert.equal(sessionAt(Uri.parse(sessionAddress("../../etc/passwd"))), undefined);
  for (const text of ["", "--help", "a b", "a;b", "a".repeat(101), 7, undefined]) {
    assert.equal(asId(text), undefined);
  }
});

test("only files in folders of sessions are sessions", () => {
  assert.equal(sessionIn(`/u/workspaceStorage/x/chatSessions/${ID}.jsonl`), ID);
  assert.equal(sessionIn(`C:\\u\\emptyWindowChatSessions\\${ID}.json`), ID);
  assert.equal(sessionIn(`/home/me/${ID}.jsonl`), undefined);
  assert.equal(sessionIn(`/u/chatSessions/${ID}.txt`), undefined);
});

test("a new session is one line of a log with the requests of the export", () => {
  const { name, text } = newSession(EXPORTED, { ...NAMED, version: "1.139.1" });
  assert.equal(name, `${ID}.jsonl`);
  assert.equal(text.indexOf("\n"), text.length - 1);
  assert.deepEqual(JSON.parse(text), {
    kind: 0,
    v: { ...EXPORTED, version: 3, sessionId: ID, creationDate: NAMED.now, customTitle: "Compacted: x" },
  });
});

test("versions of VS Code that keep no logs get a flat file", () => {
  for (const version of ["1.104.0", "1.108.2"]) {
    const { name, text } = newSession(EXPORTED, { ...NAMED, version });
    assert.equal(name, `${ID}.json`);
    assert.equal(JSON.parse(text).sessionId, ID);
  }
  assert.equal(newSession(EXPORTED, { ...NAMED, version: "1.109.0-insider" }).name, `${ID}.jsonl`);
  assert.equal(newSession(EXPORTED, { ...NAMED, version: "2.0.0" }).name, `${ID}.jsonl`);
});
