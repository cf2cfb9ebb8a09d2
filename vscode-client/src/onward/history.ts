/** The list of all compactions, and what can be done with each. */

import { dirname } from "node:path";
import * as vscode from "vscode";
import type { Commands, House } from "../house";
import { sessionsOf } from "../meter/choosing";
import { openFolders } from "../meter/targets";
import type { Past } from "../wire";
import { count, label } from "../words";
import { original } from "./sessions";
import { showOriginal } from "./texts";

const MOST = 200; // compactions that are listed
const MOST_CHATS = 1_000; // of this workspace that are looked for among them
const LONGEST_TITLE = 80;

interface Row extends vscode.QuickPickItem {
  readonly past?: Past;
}

export function historyCommands(house: House): Commands {
  return { history: () => showHistory(house) };
}

async function showHistory(house: House): Promise<void> {
  const { compactions } = await house.server.ask("history", { limit: MOST });
  if (compactions.length === 0) {
    const compact = vscode.l10n.t("Compact Chat");
    const sentence = vscode.l10n.t("No chat has been compacted yet.");
    if ((await vscode.window.showInformationMessage(sentence, compact)) === compact) {
      await vscode.commands.executeCommand("compactChat.ui.compact");
    }
    return;
  }
  const options = { title: vscode.l10n.t("History"), matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick<Row>(rows(house, compactions), options);
  if (chosen?.past) {
    await offer(house, chosen.past);
  }
}

async function rows(house: House, compactions: readonly Past[]): Promise<Row[]> {
  const chats = await chatsHere(house);
  const own = house.chats.ownFolder?.fsPath;
  const isHere = ({ uri }: Past) => {
    const path = uri === null ? undefined : vscode.Uri.parse(uri).fsPath;
    return path !== undefined && (chats.has(path) || dirname(path) === own);
  };
  const here = compactions.filter(isHere);
  const elsewhere = compactions.filter((past) => !isHere(past));
  return [
    ...group(vscode.l10n.t("This workspace"), here),
    ...group(here.length > 0 ? vscode.l10n.t("Elsewhere") : "", elsewhere),
  ];
}

function group(title: string, compactions: readonly Past[]): Row[] {
  const separator = { label: title, kind: vscode.QuickPickItemKind.Separator };
  return [...(title && compactions.length > 0 ? [separator] : []), ...compactions.map(rowOf)];
}

/** The list is complete without them, only not sorted so well. */
async function chatsHere({ server }: House): Promise<ReadonlySet<string>> {
  const sessions = await sessionsOf(server, { folders: openFolders(), own: undefined }, MOST_CHATS).catch(() => []);
  return new Set(sessions.map(({ uri }) => vscode.Uri.parse(uri).fsPath));
}

/** Describes a compaction: what it is about, when it was made, what it saved and kept, and who wrote it. */
function rowOf(past: Past): Row {
  const { language } = vscode.env;
  const when = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const sizes = [count(past.before, language), count(past.after, language)] as const;
  return {
    label: label(past.title ?? "", LONGEST_TITLE) || vscode.l10n.t("Untitled chat"),
    description: when.format(new Date(past.at)),
    detail:
      typeof past.itemsKept === "number" && typeof past.items === "number"
        ? vscode.l10n.t(
            "{0} → {1} tokens, {2} of {3} items kept, {4}",
            ...sizes,
            past.itemsKept,
            past.items,
            writer(past),
          )
        : vscode.l10n.t("{0} → {1} tokens, {2}", ...sizes, writer(past)),
    past,
  };
}

function writer({ provider, model }: Past): string {
  switch (provider) {
    case "offline":
      return vscode.l10n.t("made without a model");
    case "none":
      return vscode.l10n.t("shortened by rules");
    case "host":
      return vscode.l10n.t("edited by hand");
    default:
      return vscode.l10n.t("written by {0}", label(model ?? provider, LONGEST_TITLE));
  }
}

async function offer(house: House, past: Past): Promise<void> {
  const { t } = vscode.l10n;
  const ways = [
    { label: `$(go-to-file) ${t("Open Compacted Chat")}`, go: () => openCompacted(house, past) },
    { label: `$(discard) ${t("Open Original Chat")}`, go: () => original(house, past) },
    { label: `$(book) ${t("Read Original as Text")}`, go: () => showOriginal(past) },
    { label: `$(save) ${t("Save Original As…")}`, go: () => saveOriginal(house, past) },
  ];
  const chosen = await vscode.window.showQuickPick(ways, { title: rowOf(past).label });
  await chosen?.go();
}

/** A compaction is a draft by the same id, also one that an earlier version made. */
async function openCompacted({ drafts, screens }: House, { compactionId }: Past): Promise<void> {
  await screens.show(await drafts.change({ draftId: compactionId }));
}

async function saveOriginal({ server }: House, { compactionId, uri }: Past): Promise<void> {
  const { archive } = await server.ask("restore", { compactionId });
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = uri?.split("/").at(-1) || `${compactionId}.json`;
  const defaultUri = folder && vscode.Uri.joinPath(folder, decodeURIComponent(name));
  const target = await vscode.window.showSaveDialog({ ...(defaultUri && { defaultUri }) });
  if (target && archive !== null) {
    await vscode.workspace.fs.copy(vscode.Uri.parse(archive), target, { overwrite: target.toString() !== uri });
  }
}
