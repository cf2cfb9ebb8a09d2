/** The original opens beside the work, unless the person who waited for it has stopped that. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import type { Asking } from "../../src/house";
import { Originals, replacedIn } from "../../src/page/transcript";
import * as vscode from "../fakes/vscode";
import { CHAT, desk } from "./desk";
import { stopped } from "./progress";

test("stopped while the chat is read, no document opens, and the next one asks anew", async (context) => {
  const transcript = (_params: unknown, { token }: Asking) =>
    new Promise((_, reject) => token?.onCancellationRequested(() => reject(new Fault("cancelled", "Stopped."))));
  const open = desk({ transcript });
  const opened: unknown[] = [];
  Object.assign(vscode.workspace, { openTextDocument: async (uri: unknown) => void opened.push(uri) });
  const originals = new Originals(open.house.server);
  for (const times of [1, 2]) {
    await assert.rejects(
      stopped(context, () => originals.show(replacedIn(CHAT))),
      { kind: "cancelled" },
    );
    assert.equal(open.asked.length, times);
  }
  assert.deepEqual(opened, []);
});
