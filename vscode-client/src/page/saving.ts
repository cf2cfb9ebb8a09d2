/** Takes the message of a page elsewhere: to the clipboard, or to a Markdown file. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "../faults";
import type { House, Page } from "../house";
import { cannotWrite } from "../unwritable";
import type { Compaction } from "../wire";
import { fileName } from "./address";
import { isUnedited } from "./body";
import { expectNotStopped, patiently } from "./patience";
import { heading } from "./text";

const SHOWN = 4000; // milliseconds
const UNWRITABLE = "invalidParams"; // the kind under which the server refuses a place; it knows all else that is asked

export async function copy(house: House, page: Page): Promise<void> {
  const { body } = house.pages.current(page);
  if (body.trim() === "") {
    throw new Fault("noMessage", vscode.l10n.t("There is no text to copy."));
  }
  await vscode.env.clipboard.writeText(body);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Copied: paste it as the first message of a new chat."), SHOWN);
}

/** Saves a handoff as the server writes it, or the edited text unchanged; overwrites a file only after the editor's own dialog has asked. */
export async function saveAsMarkdown(house: House, page: Page): Promise<void> {
  const filters = { Markdown: ["md"] };
  const target = await vscode.window.showSaveDialog({ filters, defaultUri: suggested(house, page) });
  if (target) {
    await patiently(vscode.l10n.t("Saving"), (token) => saved(house, page, target, token));
    await vscode.window.showTextDocument(target, { preview: false });
  }
}

async function saved(house: House, page: Page, target: vscode.Uri, token: vscode.CancellationToken): Promise<void> {
  const fresh = freshName(house, target);
  try {
    await written(house, page, fresh, token);
    expectNotStopped(token);
    await vscode.workspace.fs.rename(fresh, target, { overwrite: true });
  } catch (problem) {
    await vscode.workspace.fs.delete(fresh).then(undefined, () => undefined); // it may not be there at all
    throw problem instanceof Fault && problem.kind !== UNWRITABLE ? problem : cannotWrite(target);
  }
}

async function written(house: House, page: Page, fresh: vscode.Uri, token: vscode.CancellationToken): Promise<void> {
  const { body, compaction } = house.pages.current(page);
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(fresh, ".."));
  if (isUnedited(body, compaction) && (await isExported(house, compaction, fresh, token))) {
    return;
  }
  const text = `${heading({ title: page.chat.title, l10n: vscode.l10n })}\n\n${body.trim()}\n`;
  await vscode.workspace.fs.writeFile(fresh, new TextEncoder().encode(text));
}

/** Says whether the server has written it. Where it cannot, the text of the page does, unless the page has none. */
async function isExported(
  { server }: House,
  { compactionId, continuation }: Compaction,
  fresh: vscode.Uri,
  token: vscode.CancellationToken,
): Promise<boolean> {
  const params = { compactionId, as: "markdown", uri: fresh.toString() } as const;
  try {
    await server.ask("export", params, { token, quietly: true });
    return true;
  } catch (problem) {
    if (isCancelled(problem) || continuation.trim() === "") {
      throw problem;
    }
    return false;
  }
}

/** An unused name: next to the target, so that renaming is one step; else where the server can write. */
function freshName({ context }: House, target: vscode.Uri): vscode.Uri {
  const folder = target.scheme === "file" ? vscode.Uri.joinPath(target, "..") : context.globalStorageUri;
  return vscode.Uri.joinPath(folder, `.${crypto.randomUUID()}.md`);
}

function suggested({ context }: House, { chat }: Page): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? context.globalStorageUri;
  return vscode.Uri.joinPath(folder, `${fileName(chat.title)}.md`);
}
