/** Takes the message of a page elsewhere: to the clipboard, or to a Markdown file. */

import * as vscode from "vscode";
import type { House, Page } from "../house";
import { fileName } from "./address";
import { isUnedited } from "./body";
import { patiently } from "./patience";
import { heading } from "./text";

const SHOWN = 4000; // milliseconds

export async function copy(house: House, page: Page): Promise<void> {
  await vscode.env.clipboard.writeText(house.pages.current(page).body);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied: paste it as the first message of a new chat."), SHOWN);
}

/** Saves a handoff as the server writes it, or what was edited as it stands; over a file of that name only once the editor's own dialog has asked. */
export async function saveAsMarkdown(house: House, page: Page): Promise<void> {
  const filters = { Markdown: ["md"] };
  const target = await vscode.window.showSaveDialog({ filters, defaultUri: suggested(house, page) });
  if (target) {
    await patiently(vscode.l10n.t("Saving"), () => saved(house, page, target));
    await vscode.window.showTextDocument(target, { preview: false });
  }
}

async function saved(house: House, page: Page, target: vscode.Uri): Promise<void> {
  const fresh = await freshName(house, target);
  await written(house, page, fresh);
  try {
    await vscode.workspace.fs.rename(fresh, target, { overwrite: true });
  } catch (problem) {
    await vscode.workspace.fs.delete(fresh);
    throw problem;
  }
}

async function written(house: House, page: Page, fresh: vscode.Uri): Promise<void> {
  const { body, compaction } = house.pages.current(page);
  if (isUnedited(body, compaction)) {
    const { compactionId } = compaction;
    await house.server.ask("export", { compactionId, as: "markdown", uri: fresh.toString() });
  } else {
    const text = `${heading({ title: page.chat.title, l10n: vscode.l10n })}\n\n${body.trim()}\n`;
    await vscode.workspace.fs.writeFile(fresh, new TextEncoder().encode(text));
  }
}

/** A name that no file has: beside the target, so that the renaming is one step; else where the server can write. */
async function freshName({ context }: House, target: vscode.Uri): Promise<vscode.Uri> {
  const name = `.${crypto.randomUUID()}.md`;
  if (target.scheme === "file") {
    return vscode.Uri.joinPath(target, "..", name);
  }
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  return vscode.Uri.joinPath(context.globalStorageUri, name);
}

function suggested({ context }: House, { chat }: Page): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? context.globalStorageUri;
  return vscode.Uri.joinPath(folder, `${fileName(chat.title)}.md`);
}
