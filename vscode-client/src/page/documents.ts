/** The documents of the editor: which are open, what is typed in them, and how they are replaced and saved. */

import { Range, TabInputText, type TextDocument, type Uri, WorkspaceEdit, window, workspace } from "vscode";
import { difference } from "./difference";

export function documentOf(uri: Uri): TextDocument | undefined {
  return workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
}

/** Says whether a tab shows a document; one that was closed is remembered for a while. */
export function isInTab(uri: Uri): boolean {
  return urisInTabs().some((one) => one.toString() === uri.toString());
}

/** Gives the addresses of all documents that stand in tabs. */
export function urisInTabs(): Uri[] {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap(({ input }) => (input instanceof TabInputText ? [input.uri] : []));
}

/** Saves what is typed in a document, where it is open. */
export async function saveDocument(uri: Uri): Promise<void> {
  const document = documentOf(uri);
  if (document?.isDirty) {
    await document.save();
  }
}

/** Shows a file as it is stored also where something was typed meanwhile; that can be undone. */
export async function showAsStored(uri: Uri, stored: string): Promise<void> {
  const document = documentOf(uri);
  if (document?.isDirty && document.getText() !== stored) {
    await replaceText(document, stored);
  }
}

/** Replaces what differs by way of the editor, so that it can be undone there and the cursor stays, and saves it. */
export async function replaceText(document: TextDocument, text: string): Promise<void> {
  const edit = new WorkspaceEdit();
  const { start, end, inserted } = difference(document.getText(), text);
  edit.replace(document.uri, new Range(document.positionAt(start), document.positionAt(end)), inserted);
  await workspace.applyEdit(edit);
  await document.save();
}
