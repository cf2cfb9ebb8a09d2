/** The view of this workspace's chats. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ChatTree } from "../../src/meter/tree";
import type { Session } from "../../src/wire";
import { commands, EventEmitter, type TreeItem, Uri, window, workspace } from "../fakes/vscode";
import { FakeServer, houseOf, reportOf, until } from "./made";

const usual = { commands: { ...commands }, workspace: { ...workspace }, window: { ...window } };

afterEach(() => {
  Object.assign(commands, usual.commands);
  Object.assign(workspace, usual.workspace);
  Object.assign(window, usual.window);
});

interface Tree {
  getChildren(): Promise<Session[]>;
  getTreeItem(session: Session): TreeItem;
}

function staged(visible = true) {
  const server = new FakeServer();
  const session = (name: string) => ({
    uri: `file:///chats/${name}.jsonl`,
    tool: "codex",
    format: "codex",
    title: name,
    updatedAt: "2026-11-19T00:00:00Z",
    bytes: 1,
  });
  server.answers.sessions = () => ({ sessions: [session("one"), session("two")], complete: true });
  server.answers.countTokens = ({ chat }) => {
    if ((chat as { uri: string }).uri.includes("two")) {
      throw new Error("It cannot be read.");
    }
    return reportOf({ percent: 62, tool: "codex" });
  };
  let tree: Tree | undefined;
  window.createTreeView = ((_id: string, { treeDataProvider }: { treeDataProvider: Tree }) => {
    tree = treeDataProvider;
    return { visible, onDidChangeVisibility: new EventEmitter().event, dispose: () => undefined };
  }) as never;
  workspace.workspaceFolders = [{ uri: Uri.file("/project"), name: "", index: 0 }];
  const listed = async () => (await server.ask("sessions", {})) as { sessions: Session[] };
  const sessions = async () => (await listed()).sessions;
  const chats = { inUse: undefined, ownFolder: undefined, onChanged: new EventEmitter().event, sessions };
  new ChatTree(houseOf({ server, chats }));
  return { server, tree: tree as unknown as Tree };
}

test("each chat has a row; while the view is seen they are measured, and one that cannot be read has no bar", async () => {
  const { server, tree } = staged();
  const sessions = await tree.getChildren();
  await until(() => server.askedFor("countTokens").length === 2);
  const [one, two] = sessions.map((session) => tree.getTreeItem(session));
  assert.deepEqual([one?.label, two?.label], ["▰▰▰▱▱ 62% one", "two"]);
  assert.match(String(two?.description), /^Codex · /);
  await tree.getChildren();
  assert.equal(server.askedFor("countTokens").length, 3, "what was measured is not measured again");
  const [given] = (one?.command?.arguments ?? []) as { uri: string }[];
  assert.equal(given?.uri, "file:///chats/one.jsonl");
});

test("a view that nobody sees measures nothing, and without a server at hand nothing is asked", async () => {
  const { server, tree } = staged(false);
  await tree.getChildren();
  assert.equal(server.askedFor("countTokens").length, 0);
  const said: unknown[][] = [];
  commands.executeCommand = async (...given: unknown[]) => said.push(given);
  server.isAtHand = async () => false;
  assert.deepEqual(await tree.getChildren(), []);
  assert.deepEqual(said, [["setContext", "compactChat.needsSetUp", true]], "the view offers to set it up");
});
