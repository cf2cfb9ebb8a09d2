/** Who waits is told so after a moment, and can stop after a while; who need not wait sees nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { patiently, unlessStopped } from "../../src/page/patience";
import * as vscode from "../fakes/vscode";
import { progress, stopped } from "./progress";

test("what is done at once shows nothing", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const shown = progress();
  assert.equal(await patiently("Reading", async () => "done"), "done");
  context.mock.timers.tick(10_000);
  assert.deepEqual(shown, []);
});

test("after a moment the status bar says so, after a while a message offers to stop, and stopping stops the work", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const shown = progress();
  const work = patiently(
    "Reading",
    (token) =>
      new Promise((_, reject) => token.onCancellationRequested(() => reject(new Fault("cancelled", "Stopped.")))),
  );
  context.mock.timers.tick(300);
  assert.deepEqual(
    shown.map(({ location }) => location),
    [vscode.ProgressLocation.Window],
  );
  context.mock.timers.tick(3000);
  assert.equal(shown[1]?.location, vscode.ProgressLocation.Notification);
  assert.ok(shown[1]?.isCancellable);
  shown[1]?.cancel();
  assert.equal(await unlessStopped(work), undefined);
});

test("what was stopped ends as such, also where the work knows of no stop and was done by then", async (context) => {
  let finish: (done: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const ended = stopped(context, () => patiently("Reading", () => work));
  await new Promise(setImmediate);
  finish("done");
  await assert.rejects(ended, { kind: "cancelled" });
});

test("a fault comes through, and only a stop is silent", async () => {
  await assert.rejects(
    patiently("Reading", () => Promise.reject(new Fault("internal", "No."))),
    { kind: "internal" },
  );
  await assert.rejects(unlessStopped(Promise.reject(new Fault("internal", "No."))), { kind: "internal" });
});
