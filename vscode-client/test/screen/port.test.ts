/** The host's end of the page's port. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { HostPort, type Method } from "../../src/screen/port";

function opened(methods: Record<string, Method>) {
  const sent: Record<string, unknown>[] = [];
  const port = new HostPort((message) => sent.push(message as never), methods);
  return { sent, port };
}

test("a request gets the result of its method, without the tokens that are for the host", async () => {
  const { sent, port } = opened({
    add: async ({ one }: { one: number }, running) => ({ one: one + 1, ...keysOf(running) }),
  });
  await port.hear({ id: 1, method: "add", params: { one: 1, workDoneToken: "w" } });
  assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, result: { one: 2 } }]);
});

const keysOf = (_running: object) => ({});

test("progress and partial text go to the tokens of the page, and nowhere without them", async () => {
  const method: Method = async (_params, { text, progress }) => {
    text("Hel");
    progress({ kind: "report", percentage: 5 });
  };
  const { sent, port } = opened({ write: method });
  await port.hear({ id: 1, method: "write", params: { workDoneToken: "w", partialResultToken: "t" } });
  assert.deepEqual(sent.slice(0, 2), [
    { jsonrpc: "2.0", method: "$/progress", params: { token: "t", value: { kind: "text", text: "Hel" } } },
    { jsonrpc: "2.0", method: "$/progress", params: { token: "w", value: { kind: "report", percentage: 5 } } },
  ]);
  await port.hear({ id: 2, method: "write", params: {} });
  assert.equal(sent.length, 4);
});

test("a fault has its code, its sentence, its kind and its data; any other error tells nothing", async () => {
  const { sent, port } = opened({
    fail: () => Promise.reject(new Fault("draftOutdated", "It has changed.", { draft: 1 }, -32051)),
    crash: () => Promise.reject(new Error("text of a chat")),
  });
  await port.hear({ id: 1, method: "fail" });
  await port.hear({ id: 2, method: "crash" });
  await port.hear({ id: 3, method: "toString" });
  assert.deepEqual(sent[0]?.error, {
    code: -32051,
    message: "It has changed.",
    data: { kind: "draftOutdated", draft: 1 },
  });
  assert.doesNotMatch(JSON.stringify(sent[1]), /text of a chat/);
  const codes = sent.map(({ error }) => (error as { code: number } | undefined)?.code);
  assert.deepEqual(codes, [-32051, -32603, -32601]);
});

test("what the page cancels is cancelled, and so is all when it closes", async () => {
  const stopped: string[] = [];
  const wait: Method = ({ name }: { name: string }, { token }) =>
    new Promise((resolve) =>
      token.onCancellationRequested(() => {
        stopped.push(name);
        resolve({});
      }),
    );
  const { port } = opened({ wait });
  const running = [
    port.hear({ id: 1, method: "wait", params: { name: "one" } }),
    port.hear({ id: 2, method: "wait", params: { name: "two" } }),
  ];
  await port.hear({ method: "$/cancelRequest", params: { id: 2 } });
  assert.deepEqual(stopped, ["two"]);
  port.dispose();
  await Promise.all(running);
  assert.deepEqual(stopped, ["two", "one"]);
});
