/** The actions on a draft: one table for the page and the palette. */

import * as vscode from "vscode";
import type { HostAction } from "../../page/port";
import { Fault } from "../faults";
import type { Commands, House } from "../house";
import { continueWith, openClaudeSession, openCompactedCopy, openOriginal } from "../onward/sessions";
import type { Draft } from "../wire";
import { t } from "../words";
import { fileName, messageOf } from "./drafts";

type Act = (house: House, draft: Draft, uri: vscode.Uri) => Promise<string | undefined>;

/** By the last part of each command's name. */
const ACTIONS: Readonly<Record<string, Act>> = {
  continue: continueWith,
  copy,
  rewrite: (house, _draft, uri) => house.screens.press("rewrite", uri),
  claudeSession: openClaudeSession,
  compactedCopy: openCompactedCopy,
  asText: (_house, _draft, uri) => reopen(uri, "default"),
  asPage: (_house, _draft, uri) => reopen(uri, "compactChat.screen"),
  saveMarkdown,
  original: (house, { draftId, report }) => openOriginal(house, { compactionId: draftId, title: report.title }),
};
/** Commands of the overflow menu that are not about the draft. */
const OTHERS = ["history", "chooseModel"];
const IN_ROW = ["continue", "copy"];
const IN_MENU = ["claudeSession", "compactedCopy", "asText", "saveMarkdown", "original", ...OTHERS];

/** Lists the actions for a draft's page, the main one first, under the titles of their commands. */
export function actionsFor({ context }: House): HostAction[] {
  const commands: { command: string; title: string }[] = context.extension.packageJSON.contributes.commands;
  const action = (id: string) => {
    const title = commands.find(({ command }) => command === `compactChat.ui.${id}`)?.title ?? id;
    return { id, title, ...(id === "continue" && { keys: "Ctrl+Enter", primary: true }) };
  };
  return [...IN_ROW.map(action), ...IN_MENU.map((id) => ({ ...action(id), overflow: true }))];
}

/** Runs an action on the draft of an address, with what was typed there; returns what to say when it is done. */
export async function run(house: House, action: string, uri: vscode.Uri): Promise<string | undefined> {
  const draft = await house.drafts.settled(uri);
  if (OTHERS.includes(action)) {
    await vscode.commands.executeCommand(`compactChat.ui.${action}`);
    return undefined;
  }
  return ACTIONS[action]?.(house, draft, uri);
}

/** The actions as commands: each is about the draft that it is given, or the one in front. */
export function actionCommands(house: House): Commands {
  const commands = Object.keys(ACTIONS).map((name) => [
    name,
    async (given?: vscode.Uri | string) => {
      const status = await run(house, name, uriOf(house, given));
      if (status !== undefined) {
        vscode.window.setStatusBarMessage(status, 4000);
      }
    },
  ]);
  return { ...Object.fromEntries(commands), cancel: () => house.screens.stop() };
}

function uriOf({ screens }: House, given: vscode.Uri | string | undefined): vscode.Uri {
  const uri =
    typeof given === "string" ? vscode.Uri.parse(given) : given instanceof vscode.Uri ? given : screens.inFront;
  if (uri === undefined) {
    throw new Fault("noPage", t("Open a compacted chat first."));
  }
  return uri;
}

async function copy(_house: House, draft: Draft): Promise<string> {
  await vscode.env.clipboard.writeText(messageOf(draft));
  return t("Copied. Paste it as the first message of a new chat.");
}

async function saveMarkdown(_house: House, draft: Draft): Promise<undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder && vscode.Uri.joinPath(folder, `${fileName(draft.report.title)}.md`);
  const filters = { Markdown: ["md"] };
  const target = await vscode.window.showSaveDialog({ filters, ...(defaultUri && { defaultUri }) });
  if (target) {
    const content = new TextEncoder().encode(`${messageOf(draft).trim()}\n`);
    await Promise.resolve(vscode.workspace.fs.writeFile(target, content)).catch(() => {
      throw new Fault("cannotWrite", t("Cannot write {0}.", target.fsPath));
    });
    await vscode.window.showTextDocument(target, { preview: false });
  }
}

async function reopen(uri: vscode.Uri, view: string): Promise<undefined> {
  await vscode.commands.executeCommand("vscode.openWith", uri, view);
}
