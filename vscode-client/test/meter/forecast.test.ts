/** When it is asked what compacting would leave, and what is told of it. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Forecasts, isDue } from "../../src/meter/forecast";
import { chatOf, FakeServer, reportOf, settled } from "./made";

const HALF = { used: 100_000, askedAt: 0, after: 4000 };
const MINUTE = 60_000;

for (const [what, known, given, now, due] of [
  ["a chat that has only begun", undefined, { percent: 9.9 }, 0, false],
  ["a chat that is a tenth full", undefined, { percent: 10 }, 0, true],
  ["a chat that grew a little", HALF, { used: 110_000 }, 2 * MINUTE, false],
  ["a chat that grew by more than a twentieth", HALF, { used: 110_001 }, 2 * MINUTE, true],
  ["a chat of which nothing was told", { ...HALF, after: undefined }, { used: 100_000 }, MINUTE, false],
  ["a chat that was compacted by its tool", HALF, { used: 30_000 }, 2 * MINUTE, true],
  ["a chat that grew within the minute", HALF, { used: 150_000 }, MINUTE - 1, false],
] as const) {
  test(`${what} is ${due ? "" : "not "}asked about`, () => {
    assert.equal(isDue(known, chatOf(reportOf(given)), now), due);
  });
}

test("a forecast is asked once, without questions to the user, and told when it has come", async () => {
  const server = new FakeServer();
  let changes = 0;
  server.answers.preview = () => ({ action: "compact", after: 4200 });
  const forecasts = new Forecasts(server.real, () => changes++);
  assert.equal(forecasts.after(chatOf()), undefined);
  assert.equal(forecasts.after(chatOf()), undefined);
  await settled();
  assert.deepEqual(server.asked, [{ name: "preview", params: { chat: chatOf().ref }, quietly: true }]);
  assert.deepEqual([forecasts.after(chatOf()), changes], [4200, 1]);
});

test("two chats that take turns are each asked about once, and each has its own forecast", async () => {
  const server = new FakeServer();
  server.answers.preview = ({ chat }) => ({ action: "compact", after: JSON.stringify(chat).includes("two") ? 2 : 1 });
  const forecasts = new Forecasts(server.real, () => {});
  const chats = ["file:///one.jsonl", "file:///two.jsonl"].map((uri) => chatOf(reportOf(), uri));
  for (const chat of [...chats, ...chats]) {
    forecasts.after(chat);
    await settled();
  }
  assert.deepEqual(
    chats.map((chat) => forecasts.after(chat)),
    [1, 2],
  );
  assert.equal(server.asked.length, 2);
});

test("what would win nothing is not told", async () => {
  const server = new FakeServer();
  server.answers.preview = () => ({ action: "compact", after: 999_999 });
  const forecasts = new Forecasts(server.real, () => {});
  forecasts.after(chatOf());
  await settled();
  assert.equal(forecasts.after(chatOf()), undefined);
});

test("the forecast before counts until the next one has come", async () => {
  const server = new FakeServer();
  const answers = [4200, 4300];
  server.answers.preview = () => ({ action: "compact", after: answers.shift() });
  const forecasts = new Forecasts(server.real, () => {});
  const at = (used: number) => forecasts.after(chatOf(reportOf({ used, percent: used / 2000 })));
  at(126_000);
  await settled();
  mock.timers.enable({ apis: ["Date"], now: Date.now() + MINUTE });
  assert.equal(at(160_000), 4200);
  mock.timers.reset();
  await settled();
  assert.equal(at(160_000), 4300);
});

test("a forecast that fails is silent, and is of no other chat", async () => {
  const server = new FakeServer();
  const forecasts = new Forecasts(server.real, () => assert.fail("nothing has come"));
  forecasts.after(chatOf());
  await settled();
  assert.equal(forecasts.after(chatOf()), undefined);
  assert.equal(server.asked.length, 1);
});
