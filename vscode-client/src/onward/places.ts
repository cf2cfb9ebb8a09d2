/** Where an original has to stand so that the tool that wrote it opens it again. */

import { basename } from "node:path";
import * as vscode from "vscode";
import type { House } from "../house";
import { claudeSessionOf, resumeFile } from "./claude";
import { isThere } from "./files";
import { isPanelThere, showSession } from "./panel";
import { namesOf, sessionIn } from "./sessions";

export interface Place {
  readonly file: vscode.Uri;
  readonly isThere: boolean;
  readonly open: () => Promise<void>;
}

/** The place of a chat; undefined for one that no tool here can open. */
export async function placeOf(house: House, original: vscode.Uri | undefined): Promise<Place | undefined> {
  if (!original) {
    return undefined;
  }
  const sessionId = sessionIn(original.path);
  if (sessionId !== undefined) {
    return inPanel(house, original, sessionId);
  }
  return claudeSessionOf(original) === undefined
    ? undefined
    : { file: original, isThere: await isThere(original), open: () => resumeFile(original) };
}

/** A window shows the sessions of its own folder alone. */
async function inPanel(house: House, original: vscode.Uri, sessionId: string): Promise<Place | undefined> {
  const folder = house.chats.ownFolder;
  if (!folder || !(await isPanelThere())) {
    return undefined;
  }
  const found = await Promise.all(namesOf(sessionId).map((name) => isThere(vscode.Uri.joinPath(folder, name))));
  return {
    file: vscode.Uri.joinPath(folder, basename(original.path)),
    isThere: found.includes(true),
    open: () => showSession(sessionId),
  };
}
