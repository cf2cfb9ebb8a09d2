/** One watch: when the server is asked for it, what is told of it, and what follows a refusal. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { Following } from "../../src/meter/following";
import { FakeServer, reportOf } from "./made";

const WATCHED = { watchId: "w1", uri: "file:///chats/one.jsonl", report: reportOf() };

function staged(signs: () => string = () => "one") {
  const server = new FakeServer();
  server.answers.watch = () => WATCHED;
  server.answers.unwatch = () => ({});
  const told = { changes: 0 };
  const target = { params: { workspace: "file:///shop" }, signs: async () => signs() };
  const following = new Following(server.real, target, () => told.changes++);
  return { server, following, told };
}

function refusing(kind: string) {
  return () => {
    throw new Fault(kind, "No.");
  };
}

test("without a sign of a chat the server is not asked", async () => {
  const { server, following, told } = staged(() => "");
  await following.look();
  assert.deepEqual([server.asked, told.changes, following.isFollowing], [[], 0, false]);
});

test("a sign of a chat has the server watch it, without a question to the user", async () => {
  const { server, following } = staged();
  await following.look();
  assert.deepEqual(server.asked, [{ name: "watch", params: { workspace: "file:///shop" }, quietly: true }]);
  const { inUse, trouble } = following.outcome;
  assert.deepEqual(
    [inUse?.title, inUse?.tool, inUse?.ref, trouble],
    ["Fix the parser", "claude-code", { uri: WATCHED.uri }, undefined],
  );
});

test("two looks at once ask once, and a watch is not asked for again", async () => {
  const { server, following } = staged();
  await Promise.all([following.look(), following.look()]);
  await following.look();
  assert.equal(server.asked.length, 1);
});

test("what the server tells of this watch counts, what it tells of others does not", async () => {
  const { following, told } = staged();
  await following.look();
  following.hear({ ...WATCHED, report: reportOf({ percent: 70 }) });
  following.hear({ ...WATCHED, watchId: "w2", report: reportOf({ percent: 99 }) });
  assert.deepEqual([following.outcome.inUse?.report.percent, told.changes], [70, 2]);
});

test("a chat that is gone is not shown any more, and its watch is given up", async () => {
  const { server, following } = staged();
  await following.look();
  const warnings = [{ code: "chatGone", message: "There is no such file." }];
  following.hear({ ...WATCHED, report: reportOf({ warnings }) });
  assert.deepEqual([following.outcome.inUse, following.isFollowing], [undefined, false]);
  assert.deepEqual(server.askedFor("unwatch"), [{ watchId: "w1" }]);
});

test("a report that overtakes the answer is not lost", async () => {
  const { server, following } = staged();
  server.answers.watch = () => {
    following.hear({ ...WATCHED, report: reportOf({ percent: 71 }) });
    return WATCHED;
  };
  await following.look();
  assert.equal(following.outcome.inUse?.report.percent, 71);
});

test("another chat that came into use takes the place of the first", async () => {
  const { following } = staged();
  await following.look();
  following.hear({ ...WATCHED, uri: "file:///chats/two.jsonl", report: reportOf({ tool: "codex", title: null }) });
  const { inUse } = following.outcome;
  assert.deepEqual([inUse?.uri?.toString(), inUse?.tool, inUse?.title], ["file:///chats/two.jsonl", "codex", null]);
});

test("where the server finds no chat, it is asked again only after something has changed", async () => {
  let signs = "one";
  const { server, following } = staged(() => signs);
  server.answers.watch = refusing("chatNotFound");
  await following.look();
  await following.look();
  assert.deepEqual([server.asked.length, following.outcome.trouble], [1, undefined]);
  signs = "two";
  await following.look();
  assert.equal(server.asked.length, 2);
});

test("a chat that cannot be read is told, and tried again when it has changed", async () => {
  let signs = "one";
  const { server, following } = staged(() => signs);
  server.answers.watch = refusing("chatUnreadable");
  await following.look();
  assert.equal(following.outcome.trouble?.kind, "chatUnreadable");
  server.answers.watch = () => WATCHED;
  signs = "two";
  await following.look();
  assert.equal(following.outcome.trouble, undefined);
});

for (const kind of ["notSetUp", "wrongServer", "noPython"]) {
  test(`after ${kind} the server is asked again only once that is forgiven, however the chats change`, async () => {
    let signs = "one";
    const { server, following } = staged(() => signs);
    server.answers.watch = refusing(kind);
    await following.look();
    signs = "two";
    await following.look();
    assert.deepEqual([server.asked.length, following.outcome.trouble?.kind], [1, kind]);
    server.answers.watch = () => WATCHED;
    following.forgive();
    await following.look();
    assert.deepEqual([following.isFollowing, following.outcome.trouble], [true, undefined]);
  });
}

test("a server that ended while it was asked is asked again, without a word", async () => {
  const { server, following, told } = staged();
  server.answers.watch = refusing("serverFailed");
  await following.look();
  assert.deepEqual([following.wasCutOff, following.outcome.trouble, told.changes], [true, undefined, 0]);
  server.answers.watch = () => WATCHED;
  await following.look();
  assert.deepEqual([following.wasCutOff, following.isFollowing], [false, true]);
});

test("a server that says itself that it failed is asked again only once that is forgiven", async () => {
  const { server, following } = staged();
  server.become("failed");
  await following.look();
  await following.look();
  assert.deepEqual([server.asked.length, following.outcome.trouble], [1, server.failure]);
  following.forgive();
  server.become("stopped");
  await following.look();
  assert.deepEqual([following.isFollowing, following.outcome.trouble], [true, undefined]);
});

test("what is no fault of ours is told as one of kind internal", async () => {
  const { server, following } = staged();
  server.answers.watch = () => {
    throw new Error("odd");
  };
  await following.look();
  assert.equal(following.outcome.trouble?.kind, "internal");
});

test("a watch that was lost with its server keeps its report until it is renewed", async () => {
  const { server, following } = staged();
  await following.look();
  following.lose();
  assert.equal(following.outcome.inUse?.report.percent, 63);
  server.answers.watch = () => ({ ...WATCHED, watchId: "w2", report: reportOf({ percent: 80 }) });
  await following.look();
  assert.equal(following.outcome.inUse?.report.percent, 80);
});

test("at its end the watch is given back, and nothing is told any more", async () => {
  const { server, following, told } = staged();
  await following.look();
  following.dispose();
  following.hear(WATCHED);
  await following.look();
  assert.deepEqual(server.askedFor("unwatch"), [{ watchId: "w1" }]);
  assert.equal(told.changes, 1);
});

test("a watch that comes after the end is given back at once", async () => {
  const { server, following, told } = staged();
  const look = following.look();
  following.dispose();
  await look;
  assert.deepEqual([following.outcome.inUse, told.changes], [undefined, 0]);
  assert.equal(server.askedFor("unwatch").length, server.askedFor("watch").length);
});

test("a server that has ended is not started to give a watch back", async () => {
  const { server, following } = staged();
  await following.look();
  server.become("stopped");
  following.dispose();
  assert.deepEqual(server.askedFor("unwatch"), []);
});
