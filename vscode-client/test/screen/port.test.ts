/** The page's port, on the side that answers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Methods, Port } from "../../page/port";
import { Fault } from "../../src/faults";

function opened(methods: Methods) {
  const sent: Record<string, unknown>[] = [];
  let hear: (message: unknown) => void = () => undefined;
  const channel = {
    send: (message: object) => void sent.push(message as never),
    listen: (heard: (message: unknown) => void) => {
      hear = heard;
    },
  };
  const port = new Port(channel, () => undefined, methods);
  const ask = async (message: object) => {
    hear(message);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { sent, port, ask };
}

test("a request gets the result of its method, without the tokens that are for progress", async () => {
  const { sent, ask } = opened({ add: async (params: object) => params });
  await ask({ id: 1, method: "add", params: { one: 1, workDoneToken: "w" } });
  assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, result: { one: 1 } }]);
});

test("progress and partial text go to the tokens of the other side, and nowhere without them", async () => {
  const write: Methods[string] = async (_params, { text, progress }) => {
    text("Hel");
    progress({ kind: "report", percentage: 5 });
  };
  const { sent, ask } = opened({ write });
  await ask({ id: 1, method: "write", params: { workDoneToken: "w", partialResultToken: "t" } });
  assert.deepEqual(sent.slice(0, 2), [
    { jsonrpc: "2.0", method: "$/progress", params: { token: "t", value: { kind: "text", text: "Hel" } } },
    { jsonrpc: "2.0", method: "$/progress", params: { token: "w", value: { kind: "report", percentage: 5 } } },
  ]);
  await ask({ id: 2, method: "write" });
  assert.equal(sent.length, 4);
});

test("a refusal has its kind, its sentence and its data; any other error tells nothing", async () => {
  const { sent, ask } = opened({
    fail: () => Promise.reject(new Fault("draftOutdated", "It has changed.", { draft: 1 })),
    crash: () => Promise.reject(new Error("text of a chat")),
    stop: () => Promise.reject(new Fault("cancelled", "It was cancelled.")),
  });
  await ask({ id: 1, method: "fail" });
  await ask({ id: 2, method: "crash" });
  await ask({ id: 3, method: "toString" });
  await ask({ id: 4, method: "stop" });
  assert.deepEqual(sent[0]?.error, {
    code: -32803,
    message: "It has changed.",
    data: { draft: 1, kind: "draftOutdated" },
  });
  assert.doesNotMatch(JSON.stringify(sent[1]), /text of a chat/);
  const errors = sent.map(({ error }) => error as { code: number; data: { kind: string } });
  const kinds = errors.map(({ data }) => data.kind);
  assert.deepEqual(kinds, ["draftOutdated", "internal", "methodNotFound", "cancelled"]);
  assert.deepEqual(
    errors.map(({ code }) => code),
    [-32803, -32803, -32803, -32800],
  );
});

test("what the other side cancels is cancelled, and so is all that is stopped", async () => {
  const stopped: string[] = [];
  const wait: Methods[string] = ({ name }: { name: string }, { signal }) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        stopped.push(name);
        resolve({});
      }),
    );
  const { port, ask } = opened({ wait });
  await ask({ id: 1, method: "wait", params: { name: "one" } });
  await ask({ id: 2, method: "wait", params: { name: "two" } });
  await ask({ method: "$/cancelRequest", params: { id: 2 } });
  assert.deepEqual(stopped, ["two"]);
  port.stop();
  assert.deepEqual(stopped, ["two", "one"]);
});
