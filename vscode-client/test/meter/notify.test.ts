/** The two notifications: when they come, what they offer, and how they end. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { notify } from "../../src/meter/notify";
import type { TokenReport } from "../../src/wire";
import { commands, EventEmitter, window, workspace } from "../fakes/vscode";
import { chatOf, FakeServer, houseOf, reportOf, settled } from "./made";

const usual = { commands: { ...commands } };

let said: string[][];
let answer: string | undefined;
let state: Map<string, unknown>;
let server: FakeServer;
let ran: unknown[];

beforeEach(() => {
  [said, answer, state, server, ran] = [[], undefined, new Map(), new FakeServer(), []];
  workspace.settings.clear();
  window.showInformationMessage = async (...given: unknown[]) => {
    said.push(given as string[]);
    return answer;
  };
  commands.executeCommand = async (...given: unknown[]) => ran.push(given[0]);
});

afterEach(() => void Object.assign(commands, usual.commands));

/** Opens a window and shows it these reports of one chat. */
async function see(...reports: Partial<TokenReport>[]): Promise<void> {
  const changed = new EventEmitter<unknown>();
  const globalState = {
    get: (name: string, or: unknown) => state.get(name) ?? or,
    update: async (name: string, value: unknown) => void state.set(name, value),
  };
  const watching = notify(houseOf({ chats: { onChanged: changed.event }, context: { globalState }, server }));
  for (const { parts: _, ...report } of reports) {
    changed.fire(chatOf(reportOf(report)));
    await settled();
  }
  watching.dispose();
}

const compacted = (total: number) => ({ compactions: { total, automatic: total, lastBefore: 1, lastAfter: 1 } });
const lost = (name: string, count: number) => ({ name, lost: Array.from({ length: count }, (_, id) => ({ id })) });

test("a chat near its limit is told once, also by another window", async () => {
  await see({ percent: 80 }, { percent: 95 }, { percent: 96 });
  await see({ percent: 97 });
  assert.equal(said.length, 1);
});

test("one click compacts it, and one turns the notification off", async () => {
  answer = "Compact and Continue";
  await see({ percent: 95 });
  assert.deepEqual(ran, ["compactChat.ui.continueNow"]);
  [answer, state] = ["Don't Show Again", new Map()];
  await see({ percent: 95 });
  state = new Map();
  await see({ percent: 95 });
  assert.equal(said.length, 2);
  assert.equal(workspace.settings.get("compactChat.notify.nearLimit"), false);
});

test("where the meter never turns red there is no notification either", async () => {
  workspace.settings.set("compactChat.meter.errorAt", 101);
  await see({ percent: 99 });
  assert.equal(said.length, 0);
});

for (const [classes, missing] of [
  [[lost("constraints", 3), lost("commands", 4)], "3 rules are missing"],
  [[lost("constraints", 1), lost("commands", 4)], "1 rule is missing"],
  [[lost("constraints", 0), lost("commands", 4)], "4 items are missing"],
  [[lost("commands", 1)], "1 item is missing"],
] as const) {
  test(`a compaction that is seen is told with what is missing: ${missing}`, async () => {
    server.answers.check = () => ({ survival: { classes } });
    answer = "Copy Back";
    await see(compacted(0), compacted(1), compacted(2));
    assert.equal(said.length, 1);
    assert.ok(said[0]?.[0]?.includes(missing));
    assert.deepEqual(ran, ["compactChat.ui.copyLost"]);
  });
}

test("a compaction from before, one that kept all, and one that cannot be checked are not told", async () => {
  await see(compacted(2));
  server.answers.check = () => ({ survival: { classes: [lost("constraints", 0)] } });
  await see(compacted(0), compacted(1));
  server.answers.check = () => {
    throw new Error();
  };
  await see(compacted(0), compacted(1));
  assert.deepEqual(said, []);
});
