/** Continues a draft: in a new chat of the editor's panel, or as a session file of its tool. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House } from "../house";
import { patiently } from "../patience";
import { messageOf } from "../screen/drafts";
import type { Draft, ExportParams, Past, Resume } from "../wire";
import { label, t, withoutLinks } from "../words";
import { showOriginal } from "./texts";

const SCHEME = "vscode-chat-session";
const INTO_PANEL = "workbench.action.chat.openInSidebar";
const FOCUS = "workbench.panel.chat.view.copilot.focus";
const NEW_CHAT = "workbench.action.chat.newChat";
const NEW_LOCAL_CHAT = "workbench.action.chat.newLocalChat"; // of the editor's own agent; not in every version
const OPEN = "workbench.action.chat.open";
const OF_COPILOT = "github.copilot.chat."; // which may run where its manifest cannot be read
const ROOM_FOR_MORE = "\n\n"; // the user says there what comes next
const LONGEST_TITLE = 60;
const WORD_JOINER = "\u2060"; // takes no room
const REFERENCE = /(?<!\S)#(?=\w)/g; // the panel looks for names only after a blank

interface Manifest {
  readonly contributes?: { readonly chatParticipants?: readonly { readonly isDefault?: boolean }[] };
}

/** A compaction whose original is wanted. */
export type Undoable = Pick<Past, "compactionId" | "title">;

/** Opens a new chat with the draft's message attached, named after the old one; the user says what is next. */
export async function continueWith(_house: House, draft: Draft, uri: vscode.Uri): Promise<string | undefined> {
  const message = messageOf(draft).trim();
  if (message === "") {
    throw new Fault("noMessage", t("The message is empty. There is nothing to continue with."));
  }
  const commands = await panelCommands();
  if (commands) {
    const title = label(draft.report.title ?? "", LONGEST_TITLE);
    const query = title
      ? t('Continue "{0}" from the attached message.', title)
      : t("Continue from the attached message.");
    await openNewChat(commands, `${query}${ROOM_FOR_MORE}`, uri);
    return undefined;
  }
  await vscode.env.clipboard.writeText(message);
  return t("There is no chat panel here. The message is copied: paste it into a new chat.");
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

/** Keeps the panel from reading `#name` as a reference, which would run a tool again. */
export function withoutReferences(text: string): string {
  return text.replace(REFERENCE, `#${WORD_JOINER}`);
}

/** Opens the compacted chat in the panel as a new session next to the old one. */
export async function openCompactedCopy(house: House, { compaction }: Draft): Promise<undefined> {
  const { ownFolder } = house.chats;
  if (!ownFolder || !(await isPanelThere())) {
    throw new Fault("noPanel", t("This editor has no chat panel that could open the compacted chat."));
  }
  await openExport(house, { compactionId: compaction.compactionId, as: "vscode-export" }, ownFolder);
}

/** Puts the compacted chat among the sessions of Claude Code and resumes it; one that is already there is unchanged. */
export async function openClaudeSession(house: House, { compaction }: Draft): Promise<undefined> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri;
  await openExport(house, { compactionId: compaction.compactionId, as: "claude-code" }, folder);
}

async function openExport({ server }: House, chosen: Pick<ExportParams, "compactionId" | "as">, folder?: vscode.Uri) {
  const params = { ...chosen, place: "tool", folder: folder?.toString() ?? null } as const;
  const title = t("Opening the compacted chat");
  const { resume } = await patiently(title, (signal) => server.ask("export", params, { signal }));
  await (resume && open(resume));
}

/** Opens the chat as it was: in its own tool if that is here and its folder can be written to, else as text. */
export async function openOriginal(house: House, { compactionId, title }: Undoable): Promise<undefined> {
  const folder = (await isPanelThere()) ? house.chats.ownFolder : undefined;
  const params = { compactionId, place: "tool", folder: folder?.toString() ?? null } as const;
  const heading = t("Opening the original chat");
  try {
    const { resume } = await patiently(heading, (signal) => house.server.ask("restore", params, { signal }));
    await (resume ? open(resume) : showOriginal({ compactionId, title }));
  } catch (problem) {
    if (!(problem instanceof Fault) || problem.kind !== "noPlace") {
      throw problem;
    }
    await showOriginal({ compactionId, title });
    void vscode.window.showInformationMessage(withoutLinks(problem.message));
  }
}

async function open({ id, command, folder, found }: Resume): Promise<void> {
  if (!asId(id)) {
    throw new Fault("noSession", t("This session's name is not safe to use in a command."));
  }
  if (!command || !folder) {
    // It opens as an editor, and moves from there into the panel.
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(sessionAddress(id)));
    await vscode.commands.executeCommand(INTO_PANEL);
    return;
  }
  const text = command.join(" ");
  if (found) {
    const terminal = vscode.window.createTerminal({ name: command[0] ?? "", cwd: folder });
    terminal.show();
    terminal.sendText(text);
    return;
  }
  const copy = t("Copy Command");
  const sentence = t('Run "{0}" in {1} to continue: it was not found here.', text, withoutLinks(folder));
  if ((await vscode.window.showInformationMessage(sentence, copy)) === copy) {
    await vscode.env.clipboard.writeText(text);
  }
}

export function sessionAddress(sessionId: string): string {
  return `${SCHEME}://local/${Buffer.from(sessionId).toString("base64url")}`;
}

/** The id in an address; undefined for what is no address of a session of VS Code's own. */
export function sessionAt({ scheme, authority, path }: { scheme?: unknown; authority?: unknown; path?: unknown }) {
  const isOwn = scheme === SCHEME && authority === "local";
  return isOwn ? asId(Buffer.from(String(path).slice(1), "base64url").toString()) : undefined;
}

/** A text as the id of a session, safe in the name of a file and in a command; undefined for what is none. */
export function asId(text: unknown): string | undefined {
  return typeof text === "string" && /^\w[\w-]{0,99}$/.test(text) ? text : undefined;
}
