/** Chats that no meter measures: files that a person picks, and text from the clipboard. */

import { env, l10n, type Uri, window, workspace } from "vscode";
import { Fault } from "../faults";
import type { NamedChat } from "../house";
import { isOnDisk } from "../meter/targets";

const UNKNOWN = "unknown";
const ENDINGS = ["jsonl", "json", "md", "txt", "zst", "traj"];

/** Lets the user open a file that holds a chat; undefined where none is chosen. */
export async function openedChat(): Promise<NamedChat | undefined> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const found = await window.showOpenDialog({
    title: l10n.t("Open Chat File"),
    openLabel: l10n.t("Open Chat"),
    filters: { [l10n.t("Chats")]: ENDINGS, [l10n.t("All files")]: ["*"] },
    ...(folder ? { defaultUri: folder } : {}),
  });
  return found?.[0] && chatOfFile(found[0]);
}

/** The chat in a file; one that is on no disk of this machine is read here, since the server could not. */
export async function chatOfFile(uri: Uri): Promise<NamedChat> {
  const title = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  if (isOnDisk(uri)) {
    return { ref: { uri: uri.toString() }, tool: UNKNOWN, title, uri };
  }
  const text = new TextDecoder().decode(await workspace.fs.readFile(uri));
  return { ref: { text }, tool: UNKNOWN, title, uri: undefined };
}

export async function chatOfClipboard(): Promise<NamedChat> {
  const text = await env.clipboard.readText();
  if (text.trim() === "") {
    throw new Fault("nothingCopied", l10n.t("The clipboard is empty. Copy a chat first."));
  }
  return { ref: { text }, tool: UNKNOWN, title: l10n.t("Copied chat"), uri: undefined };
}
