/** Continues in a new chat of the editor's panel, as far as commands reach it. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House } from "../house";
import { messageOf } from "../screen/drafts";
import type { Draft } from "../wire";
import { label } from "../words";

interface Manifest {
  readonly contributes?: { readonly chatParticipants?: readonly { readonly isDefault?: boolean }[] };
}

const FOCUS = "workbench.panel.chat.view.copilot.focus";
const NEW_CHAT = "workbench.action.chat.newChat";
const NEW_LOCAL_CHAT = "workbench.action.chat.newLocalChat"; // of the editor's own agent; not in every version
const OPEN = "workbench.action.chat.open";
const OF_COPILOT = "github.copilot.chat."; // which may run where its manifest cannot be read
const ROOM_FOR_MORE = "\n\n"; // the user says there what comes next
const LONGEST_TITLE = 60;
const WORD_JOINER = "\u2060"; // takes no room
/** The panel looks for names only after a blank. Issues and colors, which are never such names, stay copyable. */
const REFERENCE = /(?<!\S)#(?=\w)(?!(?:\d+|[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})(?![\w-]))/gi;

/** Opens a new chat with the draft's message attached, named after the old one; the user says what is next. */
export async function continueWith(_house: House, draft: Draft, uri: vscode.Uri): Promise<string | undefined> {
  const message = messageOf(draft).trim();
  if (message === "") {
    throw new Fault("noMessage", vscode.l10n.t("The message is empty, so there is nothing to continue with."));
  }
  const commands = await panelCommands();
  if (commands) {
    const title = label(draft.report.title ?? "", LONGEST_TITLE);
    const query = title
      ? vscode.l10n.t('Continue "{0}" from the attached message.', title)
      : vscode.l10n.t("Continue from the attached message.");
    await openNewChat(commands, `${query}${ROOM_FOR_MORE}`, uri);
    return undefined;
  }
  await vscode.env.clipboard.writeText(message);
  return vscode.l10n.t("No chat panel is set up here, so the message is copied. Paste it into a new chat.");
}

/** Returns whether this editor has a chat panel with a participant that answers by default. */
export async function isPanelThere(): Promise<boolean> {
  return (await panelCommands()) !== undefined;
}

/** Returns the editor's commands, which takes it a while; undefined without a chat panel. */
async function panelCommands(): Promise<readonly string[] | undefined> {
  const isOff = vscode.workspace.getConfiguration("chat").get("disableAIFeatures") === true;
  const answers = vscode.extensions.all.some(({ packageJSON }) =>
    (packageJSON as Manifest).contributes?.chatParticipants?.some(({ isDefault }) => isDefault),
  );
  const commands = await vscode.commands.getCommands();
  const isThere = answers || commands.some((name) => name.startsWith(OF_COPILOT));
  return !isOff && commands.includes(NEW_CHAT) && isThere ? commands : undefined;
}

/** Without the focus, the new chat would replace one in an editor. */
async function openNewChat(commands: readonly string[], text: string, attached: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand(commands.includes(FOCUS) ? FOCUS : OPEN);
  await vscode.commands.executeCommand(commands.includes(NEW_LOCAL_CHAT) ? NEW_LOCAL_CHAT : NEW_CHAT);
  await vscode.commands.executeCommand(OPEN, {
    query: withoutReferences(text),
    isPartialQuery: true,
    attachFiles: [attached],
  });
}

/** Keeps the panel from taking `#name` for a reference: what an old chat asked of a tool is not asked again. */
export function withoutReferences(text: string): string {
  return text.replace(REFERENCE, `#${WORD_JOINER}`);
}
