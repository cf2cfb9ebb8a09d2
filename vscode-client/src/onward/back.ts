/** Goes back from a compaction to the chat as it was before. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, Page } from "../house";
import { fileName } from "../page/address";
import { ORIGINAL_SCHEME } from "../page/transcript";
import { copyNew, copyOver, isSameFile } from "./files";
import { type Place, placeOf } from "./places";
import { type Way, wayLabel, waysBack } from "./ways";

/** What has to be known of a compaction to undo it. */
export interface Undoable {
  readonly compactionId: string;
  readonly title: string | null;
  readonly uri: vscode.Uri | undefined;
}

/** Goes back from a page: at once if the chat still exists, else by a way that the user picks. */
export async function undo(house: House, page: Page): Promise<void> {
  const { compactionId } = house.pages.current(page).compaction;
  const undone = { compactionId, title: page.chat.title, uri: page.chat.uri };
  const place = await placeOf(house, undone.uri);
  const ways = waysBack(place?.isThere);
  const way = ways[0] === "back" ? "back" : await picked(ways);
  if (way) {
    await go(house, undone, place, way);
  }
}

/** Goes one way back. */
export async function go(house: House, undone: Undoable, place: Place | undefined, way: Way): Promise<void> {
  switch (way) {
    case "back":
      return place?.open();
    case "putBack":
      return place && bringBack(house, undone, place);
    case "read":
      return read(undone);
    case "save":
      return saveAs(house, undone);
  }
}

async function picked(ways: readonly Way[]): Promise<Way | undefined> {
  const items = ways.map((way) => ({ label: wayLabel(way, vscode.l10n), way }));
  const title = ways.includes("putBack")
    ? vscode.l10n.t("The original chat is not here any more, or belongs to another folder")
    : vscode.l10n.t("The original chat cannot be opened from here");
  return (await vscode.window.showQuickPick(items, { title }))?.way;
}

/** Puts the original where its tool looks for it; it has never been changed, so it is the chat as it was. */
async function bringBack(house: House, undone: Undoable, place: Place): Promise<void> {
  await copyNew(await archived(house, undone), place.file);
  await place.open();
}

/** Shows the transcript, which needs nothing but the archive. */
async function read({ compactionId, title }: Undoable): Promise<void> {
  const query = JSON.stringify({ compactionId });
  const uri = vscode.Uri.from({ scheme: ORIGINAL_SCHEME, path: `/${fileName(title)}.md`, query });
  await vscode.window.showTextDocument(uri, { preview: true });
}

async function saveAs(house: House, undone: Undoable): Promise<void> {
  const archive = await archived(house, undone);
  const target = await vscode.window.showSaveDialog({ defaultUri: proposed(undone) });
  if (!target) {
    return;
  }
  if (undone.uri && (await isSameFile(target, undone.uri))) {
    throw new Fault(
      "chatStands",
      vscode.l10n.t("That is the chat itself, and no chat is ever written over: choose another name."),
    );
  }
  await copyOver(archive, target);
}

async function archived(house: House, { compactionId }: Undoable): Promise<vscode.Uri> {
  const { archive } = await house.server.ask("restore", { compactionId });
  if (archive === null) {
    throw new Fault("compactionNotFound", vscode.l10n.t("The original was not kept, since the archive is off."));
  }
  return vscode.Uri.parse(archive);
}

function proposed({ compactionId, uri }: Undoable): vscode.Uri {
  const name = uri?.path.split("/").at(-1) || `${compactionId}.json`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  return vscode.Uri.joinPath(folder, name);
}
