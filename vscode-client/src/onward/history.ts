/** The list of all compactions, and what can be done with each. */

import { dirname } from "node:path";
import * as vscode from "vscode";
import type { House } from "../house";
import { sessionsOf } from "../meter/choosing";
import { openFolders } from "../meter/targets";
import { addressOf } from "../page/address";
import type { Past } from "../wire";
import { go } from "./back";
import { placeOf } from "./places";
import { parted, rowOf } from "./rows";
import { type Way, wayLabel, waysBack } from "./ways";

const MOST = 200; // compactions that are listed
const MOST_CHATS = 1_000; // of this workspace that are looked for among them

interface Listed extends vscode.QuickPickItem {
  readonly past?: Past;
}

export async function showHistory(house: House): Promise<void> {
  const { compactions } = await house.server.ask("history", { limit: MOST });
  if (compactions.length === 0) {
    await offerFirst();
    return;
  }
  const title = vscode.l10n.t("Compactions");
  const items = listed(house, compactions);
  const chosen = await vscode.window.showQuickPick<Listed>(items, {
    title,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen?.past) {
    await offer(house, chosen.past);
  }
}

async function offerFirst(): Promise<void> {
  const compact = vscode.l10n.t("Compact Chat");
  if ((await vscode.window.showInformationMessage(vscode.l10n.t("No chat was compacted yet."), compact)) === compact) {
    await vscode.commands.executeCommand("compactChat.ui.compact");
  }
}

async function listed(house: House, compactions: readonly Past[]): Promise<Listed[]> {
  const chats = await chatsHere(house);
  const own = house.chats.ownFolder?.fsPath;
  const isHere = (path: string) => chats.has(path) || dirname(path) === own;
  const [here, elsewhere] = parted(compactions, (uri) => isHere(vscode.Uri.parse(uri).fsPath));
  return [
    ...group(vscode.l10n.t("This workspace"), here),
    ...group(here.length > 0 ? vscode.l10n.t("Elsewhere") : "", elsewhere),
  ];
}

function group(label: string, compactions: readonly Past[]): Listed[] {
  const rows = compactions.map((past) => ({ ...rowOf(past, vscode.l10n, vscode.env.language), past }));
  return label && rows.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows] : rows;
}

/** The list is whole without them, only not sorted so well. */
async function chatsHere({ server }: House): Promise<ReadonlySet<string>> {
  const listed = { folders: openFolders(), own: undefined };
  const sessions = await sessionsOf(server, listed, MOST_CHATS).catch(() => []);
  return new Set(sessions.map(({ uri }) => vscode.Uri.parse(uri).fsPath));
}

async function offer(house: House, past: Past): Promise<void> {
  const undoable = { ...past, uri: past.uri === null ? undefined : vscode.Uri.parse(past.uri) };
  const place = await placeOf(house, undoable.uri);
  const ways = waysBack(place?.isThere).map((way) => ({ label: wayLabel(way, vscode.l10n), way }));
  const open = { label: `$(go-to-file) ${vscode.l10n.t("Open the Result")}`, way: undefined };
  const title = rowOf(past, vscode.l10n, vscode.env.language).label;
  const chosen = await vscode.window.showQuickPick<{ label: string; way: Way | undefined }>([open, ...ways], { title });
  if (chosen) {
    await (chosen.way ? go(house, undoable, place, chosen.way) : openResult(house, past));
  }
}

/** A page that is open may stand under another title: a second document of it would be another text. */
async function openResult(house: House, { compactionId, title }: Past): Promise<void> {
  const address = addressOf(compactionId, title);
  const page = await house.pages.of(address);
  await vscode.window.showTextDocument(page?.uri ?? address, { preview: false });
}
