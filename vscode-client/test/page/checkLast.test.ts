/** The check of what a tool's own compaction lost, as a person reads it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { House } from "../../src/house";
import { checkLast } from "../../src/page/checkLast";
import { showAllLost } from "../../src/page/lost";
import { type Paper, Papers } from "../../src/page/papers";
import * as vscode from "../fakes/vscode";
import { CHAT, desk } from "./desk";
import { survivalOf } from "./made";

class Shown extends Papers {
  readonly all: Paper[] = [];

  override async show(paper: Paper) {
    this.all.push(paper);
    return vscode.Uri.parse("compact-chat-paper:/1/x.md") as never;
  }

  override of(): Paper | undefined {
    return this.all.at(-1);
  }
}

test("what a tool's own compaction lost is listed without links to messages that cannot be read any more", async () => {
  const lost = Array.from({ length: 9 }, (_, place) => `make ${place}`);
  const check = () => ({ survival: survivalOf({ commands: lost }), warnings: [], continuation: "" });
  const house = Object.assign(desk({ check }).house, { chats: { wanted: async () => CHAT } }) as House;
  const papers = new Shown();
  await checkLast(house, papers);
  await showAllLost(house, papers, vscode.Uri.parse("compact-chat-paper:/1/x.md") as never, "commands");
  const [first, all] = papers.all;
  assert.ok(first?.sheet.lines.includes("  - `make 0`"));
  assert.deepEqual(
    first?.sheet.spots.map(({ act }) => act),
    ["all"],
  );
  assert.ok(all?.sheet.lines.includes("  - `make 8`"));
  assert.deepEqual(all?.sheet.spots, []);
});
