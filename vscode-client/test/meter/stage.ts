/** A window with a server whose chats a test sets, and the choice in its lists. */

import { Chats } from "../../src/meter/chats";
import { window } from "../fakes/vscode";
import { closeWindows, newWindow, type Window } from "./editor";
import { FakeServer, reportOf, until } from "./made";

const open: Chats[] = [];

/** Closes all that was staged. */
export async function cleared(): Promise<void> {
  for (const one of open.splice(0)) {
    one.dispose();
  }
  await closeWindows();
}

export interface Stage {
  readonly window: Window;
  readonly server: FakeServer;
  readonly chats: Chats;
  /** The chat that the server would find in use. */
  readonly found: { uri: string; tool: string; title: string | null };
}

export interface Row {
  readonly label: string;
  readonly description?: string;
  readonly choice: () => Promise<unknown>;
}

export async function staged(
  prepare: (window: Window, server: FakeServer) => Promise<unknown> = async () => {},
): Promise<Stage> {
  const made = await newWindow();
  const server = new FakeServer();
  const found = { uri: "file:///chats/one.jsonl", tool: "vscode", title: "Fix the parser" };
  let watches = 0;
  server.answers.watch = () => ({ watchId: `w${++watches}`, uri: found.uri, report: reportOf(found) });
  server.answers.unwatch = () => ({});
  server.answers.sessions = () => ({ sessions: [], complete: true });
  await prepare(made, server);
  return { window: made, server, chats: chatsIn(made, server), found };
}

/** Gives the chats of a window, which go when the stage is cleared. */
export function chatsIn({ context }: Window, server: FakeServer): Chats {
  const chats = new Chats(context, server.real);
  open.push(chats);
  return chats;
}

/** Says what the list showed, and chooses the row that begins so. */
export function choosing(label: string): { rows: Row[] } {
  const told: { rows: Row[] } = { rows: [] };
  window.showQuickPick = async (...given: unknown[]) => {
    told.rows = given[0] as Row[];
    return told.rows.find((row) => row.label.startsWith(label));
  };
  return told;
}

export async function inUse(chats: Chats, title: string): Promise<void> {
  await until(() => chats.inUse?.title === title, `${title} never came into use`);
}
