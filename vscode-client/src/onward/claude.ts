/** Opens chats as sessions of Claude Code, which a terminal resumes. */

import { readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, Page } from "../house";
import { withoutLinks } from "../words";
import { projectHolding, startOf } from "./claudeFiles";
import { claudeSessionIn, heldIn, isProjectOf, movedTo, projectFolder, sessionId } from "./claudePlaces";
import { isThere, writeNew } from "./files";
import { isOnPath } from "./programs";
import { withExport } from "./scratch";
import { tellOfTail } from "./tail";

const PROGRAM = "claude";

/** Puts the compacted chat among the sessions of its folder and resumes it; one that is already there is resumed unchanged. */
export async function openAsClaudeSession(house: House, page: Page): Promise<void> {
  const version = house.pages.current(page);
  const { compactionId } = await house.pages.settled(page);
  const text = await withExport(house, compactionId, "claude-code", (file) => readFile(file.fsPath, "utf8"));
  const id = sessionId(text);
  if (id === undefined) {
    throw new Fault("internal", vscode.l10n.t("The session that was made has no id, so nothing could resume it."));
  }
  const held = heldIn(text);
  const folder = await workFolder(held);
  const file = vscode.Uri.file(join(await sessionsOf(folder), `${id}.jsonl`));
  if (!(await isThere(file))) {
    await writeNew(file, held === folder ? text : movedTo(text, folder));
  }
  tellOfTail(version);
  await resume(id, folder);
}

/** Resumes the session in a file, in the folder that it was held in. */
export async function resumeFile(file: vscode.Uri): Promise<void> {
  const id = claudeSessionOf(file);
  const project = basename(dirname(file.fsPath));
  const folders = [heldIn(await startOf(file.fsPath)), ...openFolders()];
  const folder = folders.find((one) => one !== undefined && isProjectOf(project, one));
  if (id === undefined || folder === undefined || !(await isFolder(folder))) {
    throw new Fault(
      "folderGone",
      vscode.l10n.t("The folder in which this chat was held is gone, so it cannot go on there."),
    );
  }
  await resume(id, folder);
}

/** The id of the session in a file of Claude Code's; undefined for other files. */
export function claudeSessionOf(file: vscode.Uri): string | undefined {
  return claudeSessionIn(file.fsPath, { home: homedir(), env: process.env });
}

async function resume(id: string, folder: string): Promise<void> {
  const command = `${PROGRAM} --resume ${id}`;
  if (!(await isOnPath(PROGRAM, process.env, process.platform))) {
    await offerCommand(command, folder);
    return;
  }
  const terminal = vscode.window.createTerminal({ name: "Claude Code", cwd: folder });
  terminal.show();
  terminal.sendText(command);
}

async function offerCommand(command: string, folder: string): Promise<void> {
  const copy = vscode.l10n.t("Copy Command");
  const told = vscode.l10n.t(
    "Claude Code was not found here; run “{0}” in {1} to go on with the chat.",
    command,
    withoutLinks(folder),
  );
  if ((await vscode.window.showInformationMessage(told, copy)) === copy) {
    await vscode.env.clipboard.writeText(command);
  }
}

/** The folder that a chat was held in where it is still there, else the one that is open. */
async function workFolder(held: string | undefined): Promise<string> {
  for (const folder of [held === "/" ? undefined : held, ...openFolders()]) {
    if (folder !== undefined && (await isFolder(folder))) {
      return realpath(folder);
    }
  }
  throw new Fault(
    "noFolder",
    vscode.l10n.t("Open the folder that the chat is about first: a session of Claude Code belongs to a folder."),
  );
}

async function sessionsOf(folder: string): Promise<string> {
  const home = { home: homedir(), env: process.env };
  const project = projectFolder(folder, home) ?? (await projectHolding(folder, home));
  if (project === undefined) {
    throw new Fault(
      "noProject",
      vscode.l10n.t(
        "The path of this folder is too long to tell where Claude Code keeps its chats: begin one there with Claude Code first.",
      ),
    );
  }
  return project;
}

function openFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
