/** The commands around the server: model, key, set-up, restart, log, shell command, and help with a bug report. */

import { delimiter } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Commands, House } from "../house";
import { t } from "../words";
import { hasKey, KEY_NAME, setApiKey } from "./models";
import { findProgram, installScript, placeOf } from "./program";

export function serverCommands(house: House): Commands {
  return {
    chooseModel: () => chooseModel(house),
    setApiKey: () => setApiKey(house.context),
    removeApiKey: () => removeApiKey(house),
    setUp: (isChoosing?: boolean) => setUp(house, isChoosing === true),
    restart: () => restart(house),
    showLog: () => house.log.show(),
    installCommand: () => installCommand(house),
    copyDebugInfo: () => copyDebugInfo(house),
    reportIssue: () => reportIssue(house),
  };
}

async function chooseModel({ models }: House): Promise<void> {
  const improver = (await models.choose()) ? await models.improver() : undefined;
  if (improver !== undefined) {
    say(t("{0} now rewrites summaries when you ask for it.", improver.label));
  }
}

async function removeApiKey({ context }: House): Promise<void> {
  await context.secrets.delete(KEY_NAME);
  const isLeft = await hasKey(context);
  say(isLeft ? t("No API key is stored here. The editor's environment still has one.") : t("The API key was removed."));
}

/** Start it too: only then is it known to work. */
async function setUp(house: House, isChoosing: boolean): Promise<void> {
  await house.server.setUp(isChoosing);
  if (house.server.state !== "running") {
    await restart(house);
  }
  say(t("Compact Chat is set up."));
}

async function restart({ server }: House): Promise<void> {
  const title = t("Starting Compact Chat");
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => server.restart());
}

/** Install the program for the shell, and say whether the shell will find it. */
async function installCommand({ context }: House): Promise<void> {
  const program = await findProgram(placeOf(context));
  if (program === undefined) {
    throw new Fault("notSetUp", t("Compact Chat is not set up yet."));
  }
  const folder = await installScript(context, program);
  const isOnPath = (process.env.PATH ?? "").split(delimiter).includes(folder);
  say(
    isOnPath
      ? t("compact-chat is installed. Try it in a new terminal.")
      : t("compact-chat is installed in {0}. Add that folder to your PATH.", folder),
  );
}

/** What helps with a bug report: versions and states, and nothing of a chat. */
export async function debugInfo({ context, server, chats }: House): Promise<string> {
  const program = await findProgram(placeOf(context));
  const settings = vscode.workspace.getConfiguration("compactChat");
  const report = chats.inUse?.report;
  return [
    `Compact Chat ${context.extension.packageJSON.version}, server ${server.version ?? "?"} (${server.state})`,
    `${vscode.env.appName} ${vscode.version}, ${process.platform}-${process.arch}, remote: ${vscode.env.remoteName ?? "no"}`,
    `program: ${program?.origin ?? "none"}, provider: ${settings.get("provider")}, archive: ${archiveOf(settings)}`,
    `chat: ${report ? `${report.format}, ${report.basis}, ${report.messageCount} messages, ${report.percent}%` : "none"}`,
    `trouble: ${chats.trouble?.kind ?? "none"}`,
  ].join("\n");
}

function archiveOf(settings: vscode.WorkspaceConfiguration): string {
  const archive = settings.get<string>("archive", "on");
  return ["on", "off"].includes(archive) ? archive : "folder";
}

async function copyDebugInfo(house: House): Promise<void> {
  await vscode.env.clipboard.writeText(await debugInfo(house));
  say(t("Copied versions and states, without text of your chats."));
}

async function reportIssue(house: House): Promise<void> {
  const { id, packageJSON } = house.context.extension;
  if (packageJSON.bugs?.url === undefined) {
    await copyDebugInfo(house); // a build without an address
    return;
  }
  const data = await debugInfo(house);
  await vscode.commands.executeCommand("workbench.action.openIssueReporter", { extensionId: id, data });
}

function say(sentence: string): void {
  void vscode.window.showInformationMessage(sentence);
}
