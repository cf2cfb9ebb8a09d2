/** The list of all compactions, and what can be done with each. */

import * as vscode from "vscode";
import { modelName } from "../../page/words";
import { Fault } from "../faults";
import type { Commands, House } from "../house";
import type { Past } from "../wire";
import { chatTitle, count, label, separator, t } from "../words";
import { openOriginal } from "./sessions";
import { showOriginal } from "./texts";

const MOST = 200; // compactions that are listed
const MOST_CHATS = 1_000; // of this workspace that are looked for among them
const LONGEST_TITLE = 80;

/** Of the editor's models, by their ids. */
type Names = Readonly<Record<string, string>>;

interface Row extends vscode.QuickPickItem {
  readonly past?: Past;
}

export function historyCommands(house: House): Commands {
  return { history: () => showHistory(house) };
}

async function showHistory(house: House): Promise<void> {
  const { compactions } = await house.server.ask("history", { limit: MOST });
  if (compactions.length === 0) {
    throw new Fault("nothingCompacted", t("No chat has been compacted yet."));
  }
  const options = { title: t("History"), matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick<Row>(rows(house, compactions), options);
  if (chosen?.past) {
    await offer(house, chosen.past);
  }
}

/** Chats of this workspace come first, if they can be listed. */
async function rows({ chats, models }: House, compactions: readonly Past[]): Promise<Row[]> {
  const names = await models.names().catch(() => ({}));
  const sessions = await chats.sessions(MOST_CHATS).catch(() => []);
  const paths = new Set(sessions.map(({ uri }) => vscode.Uri.parse(uri).fsPath));
  const isHere = ({ uri }: Past) => uri !== null && paths.has(vscode.Uri.parse(uri).fsPath);
  const row = (past: Past) => rowOf(past, names);
  const here = compactions.filter(isHere).map(row);
  const elsewhere = compactions.filter((past) => !isHere(past)).map(row);
  return here.length > 0
    ? [separator(t("This workspace")), ...here, separator(t("Elsewhere")), ...elsewhere]
    : elsewhere;
}

/** Describes a compaction: what it is about, when it was made, what it saved and kept, and who wrote it. */
function rowOf(past: Past, names: Names): Row {
  const when = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: "medium", timeStyle: "short" });
  const { before, after, items, itemsKept } = past;
  const size = (number: number) => (number === 0 ? "?" : count(number)); // of some tools' own it is not known
  const detail = [
    t("{0} → {1} tokens", size(before), size(after)),
    ...(items != null && itemsKept != null
      ? [items === 1 ? t("{0} of 1 item kept", itemsKept) : t("{0} of {1} items kept", itemsKept, items)]
      : []),
    writer(past, names),
  ];
  return {
    label: chatTitle(past.title, LONGEST_TITLE),
    description: when.format(new Date(past.at)),
    detail: detail.join(", "),
    past,
  };
}

function writer({ provider, model }: Past, names: Names): string {
  const known: Readonly<Record<string, string>> = {
    offline: t("made without a model"),
    none: t("shortened by rules"),
    host: t("edited by hand"),
  };
  const name = label(names[model ?? ""] ?? modelName(model ?? provider), LONGEST_TITLE);
  return known[provider] ?? t("written by {0}", name);
}

async function offer(house: House, past: Past): Promise<void> {
  const draftId = past.compactionId; // a compaction is also a draft
  const open = async () => house.screens.show(await house.drafts.change({ draftId }));
  const ways = [
    { label: `$(go-to-file) ${t("Open Compacted Chat")}`, go: open },
    { label: `$(discard) ${t("Open Original Chat")}`, go: () => openOriginal(house, past) },
    { label: `$(book) ${t("Read Original as Text")}`, go: () => showOriginal(past) },
    { label: `$(save) ${t("Save Original As…")}`, go: () => saveOriginal(house, past) },
  ];
  const chosen = await vscode.window.showQuickPick(ways, { title: chatTitle(past.title, LONGEST_TITLE) });
  await chosen?.go();
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
