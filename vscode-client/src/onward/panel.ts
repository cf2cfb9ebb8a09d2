/** The chat panel of the editor, as far as commands reach it. */

import * as vscode from "vscode";
import { hasPanel, type Manifest } from "./manifests";
import { withoutReferences } from "./references";
import { sessionAddress } from "./sessions";

const FOCUS = "workbench.panel.chat.view.copilot.focus";
const NEW_CHAT = "workbench.action.chat.newChat";
const NEW_LOCAL_CHAT = "workbench.action.chat.newLocalChat"; // of the editor's own agent; not in every version
const OPEN = "workbench.action.chat.open";
const INTO_PANEL = "workbench.action.chat.openInSidebar";

/** Returns whether this editor has a chat panel with a participant that answers. */
export async function isPanelThere(): Promise<boolean> {
  const isOff = vscode.workspace.getConfiguration("chat").get("disableAIFeatures") === true;
  const manifests = vscode.extensions.all.map((extension) => extension.packageJSON as Manifest);
  return !isOff && hasPanel(manifests, await vscode.commands.getCommands());
}

/** Opens a new chat with a text in its input; the user sends it. Without the focus it would replace a chat in an editor. */
export async function openNewChat(text: string): Promise<void> {
  const known = await vscode.commands.getCommands();
  await vscode.commands.executeCommand(known.includes(FOCUS) ? FOCUS : OPEN);
  await vscode.commands.executeCommand(known.includes(NEW_LOCAL_CHAT) ? NEW_LOCAL_CHAT : NEW_CHAT);
  const query = withoutReferences(text);
  await vscode.commands.executeCommand(OPEN, { query, isPartialQuery: true });
}

/** Shows a saved session; it opens as an editor, and moves from there into the panel. */
export async function showSession(sessionId: string): Promise<void> {
  await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(sessionAddress(sessionId)));
  await vscode.commands.executeCommand(INTO_PANEL);
}
