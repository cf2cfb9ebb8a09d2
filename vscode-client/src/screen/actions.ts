/** What can be done with a draft: one table for the page's row, its overflow menu and the palette. */

import * as vscode from "vscode";
import type { HostAction } from "../../page/port";
import { Fault } from "../faults";
import type { Commands, House } from "../house";
import { continueWith } from "../onward/newChat";
import { openClaudeSession, openCompactedCopy, openOriginal } from "../onward/sessions";
import type { Draft } from "../wire";
import { confirmModel } from "./consent";
import { fileName, messageOf } from "./drafts";

type Act = (house: House, draft: Draft, uri: vscode.Uri) => Promise<string | undefined>;

/** The last part of each command's name is the action's id. */
const ACTIONS = {
  continue: continueWith,
  copy,
  rewrite: (house, _draft, uri) => house.screens.press("rewrite", uri),
  claudeSession: openClaudeSession,
  compactedCopy: openCompactedCopy,
  asText: (_house, _draft, uri) => reopen(uri, "default"),
  asPage: (_house, _draft, uri) => reopen(uri, "compactChat.screen"),
  saveMarkdown,
  original: openOriginal,
  history: () => command("history"),
  chooseModel: () => command("chooseModel"),
  confirmModel: async (house) => {
    await confirmModel(house);
    await house.screens.refresh();
    return undefined;
  },
} satisfies Record<string, Act>;

export type ActionName = keyof typeof ACTIONS;

const OF_A_PAGE: ReadonlySet<ActionName> = new Set(["confirmModel", "history", "chooseModel"]);

/** Lists the actions for a draft's page, the main one first. */
export function actionsFor(): HostAction[] {
  const { t } = vscode.l10n;
  return [
    { id: "continue", title: t("Continue in New Chat"), keys: "Ctrl+Enter", primary: true },
    { id: "copy", title: t("Copy") },
    { id: "claudeSession", title: t("Open as Claude Code Session"), overflow: true },
    { id: "compactedCopy", title: t("Open Compacted Copy"), overflow: true },
    { id: "asText", title: t("Reopen as Text"), overflow: true },
    { id: "saveMarkdown", title: t("Save as Markdown…"), overflow: true },
    { id: "original", title: t("Open Original Chat"), overflow: true },
    { id: "history", title: t("Show History"), overflow: true },
    { id: "chooseModel", title: t("Choose Model for Summaries…"), overflow: true },
  ];
}

/** Runs an action on the draft of an address, with what was typed there; returns what to say when it is done. */
export async function run(house: House, action: ActionName, uri: vscode.Uri): Promise<string | undefined> {
  const act: Act = ACTIONS[action];
  return act(house, await house.drafts.settled(uri), uri);
}

/** The actions as commands: each is about the draft that it is given, or the one in front. */
export function actionCommands(house: House): Commands {
  const names = (Object.keys(ACTIONS) as ActionName[]).filter((name) => !OF_A_PAGE.has(name));
  const commands = names.map((name) => [
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
    throw new Fault("noPage", vscode.l10n.t("Open a compacted chat first."));
  }
  return uri;
}

async function copy(_house: House, draft: Draft): Promise<string> {
  await vscode.env.clipboard.writeText(messageOf(draft));
  return vscode.l10n.t("Copied. Paste it as the first message of a new chat.");
}

async function saveMarkdown(_house: House, draft: Draft): Promise<undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${fileName(draft.report.title)}.md`;
  const filters = { Markdown: ["md"] };
  const target = await vscode.window.showSaveDialog({
    filters,
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target) {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(`${messageOf(draft).trim()}\n`)).then(
      () => vscode.window.showTextDocument(target, { preview: false }),
      () => {
        throw new Fault("cannotWrite", vscode.l10n.t("Cannot write {0}.", target.fsPath), { uri: target.toString() });
      },
    );
  }
}

async function reopen(uri: vscode.Uri, view: string): Promise<undefined> {
  await vscode.commands.executeCommand("vscode.openWith", uri, view);
}

async function command(name: string): Promise<undefined> {
  await vscode.commands.executeCommand(`compactChat.ui.${name}`);
}
