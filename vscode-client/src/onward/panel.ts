/** The chat panel of the editor, as far as commands reach it. */

import * as vscode from "vscode";
import { hasPanel, type Manifest, toolNames, withoutToolReferences } from "./manifests";
import { sessionAddress } from "./sessions";

const NEW_CHAT = "workbench.action.chat.newChat";
const NEW_LOCAL_CHAT = "workbench.action.chat.newLocalChat"; // works before the panel was ever open, but not in every version
const OPEN = "workbench.action.chat.open";
const INTO_PANEL = "workbench.action.chat.openInSidebar";

/** Says whether this editor has a chat panel in which somebody answers. */
export async function isPanelThere(): Promise<boolean> {
  const isOff = vscode.workspace.getConfiguration("chat").get("disableAIFeatures") === true;
  return !isOff && hasPanel(manifests(), await vscode.commands.getCommands());
}

/** Opens a new chat with a text in its input; the user sends it. */
export async function openNewChat(text: string): Promise<void> {
  if ((await vscode.commands.getCommands()).includes(NEW_LOCAL_CHAT)) {
    await vscode.commands.executeCommand(NEW_LOCAL_CHAT);
  } else {
    await vscode.commands.executeCommand(OPEN);
    await vscode.commands.executeCommand(NEW_CHAT);
  }
  const query = withoutToolReferences(text, toolNames(manifests()));
  await vscode.commands.executeCommand(OPEN, { query, isPartialQuery: true, mode: "agent" });
}

/** Shows a saved session; it opens as an editor, and moves from there into the panel. */
export async function showSession(sessionId: string): Promise<void> {
  await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(sessionAddress(sessionId)));
  await vscode.commands.executeCommand(INTO_PANEL);
}

function manifests(): Manifest[] {
  return vscode.extensions.all.map((extension) => extension.packageJSON as Manifest);
}
