/** What the extension leaves to the editor to clean up, and in which order. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { Disposable } from "vscode";
import { activate } from "../src/extension";
import { commands, window } from "./fakes/vscode";
import { closeWindows, newWindow } from "./meter/editor";
import { fakeContext, fakeLog } from "./server/workshop";

afterEach(closeWindows);

test("when a window closes, what asks the server goes before the server, and the log last", async () => {
  const made = await newWindow();
  const subscriptions: Disposable[] = [];
  const context = { ...fakeContext(made.home).context, ...made.context, subscriptions };
  Object.assign(window, { createOutputChannel: () => fakeLog().log });
  Object.assign(commands, { registerCommand: () => ({ dispose: () => undefined }) });
  activate(context as never);
  const placeOf = (member: string) => subscriptions.findIndex((one) => member in one);
  const [chats, ...others] = ["choose", "press", "settled", "ask", "appendLine"].map(placeOf);
  assert.deepEqual(
    others,
    [1, 2, 3, 4].map((place) => (chats ?? 0) + place),
  );
  subscriptions.forEach((one) => void one.dispose());
});
