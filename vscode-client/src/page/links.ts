/** The links of pages and papers: they lead to the message of a lost fact, put it back, or list all; a chat's own run nothing. */

import * as vscode from "vscode";
import { type Act, type Sheet, type Spot, spotsIn } from "./sheet";

const COMMANDS: Readonly<Record<Act, string>> = {
  show: "compactChat.ui.showLost",
  putBack: "compactChat.ui.putBack",
  all: "compactChat.ui.showAllLost",
  allBack: "compactChat.ui.putAllBack",
};

/** Offers the links of a scheme; `sheetOf` gives what a document was made of. */
export function provideLinks(scheme: string, sheetOf: (uri: vscode.Uri) => Sheet | undefined): vscode.Disposable {
  return vscode.languages.registerDocumentLinkProvider(
    { scheme },
    {
      provideDocumentLinks: (document) => {
        const sheet = sheetOf(document.uri);
        const lines = document.getText().split(/\r?\n/);
        const own = sheet ? spotsIn(lines, sheet).map((spot) => linkOf(spot, document.uri)) : [];
        return [...own, ...lines.flatMap(deadLinks)];
      },
    },
  );
}

/** The editor would run a command that a chat names in a link of Markdown; a link without a target takes its place. */
function deadLinks(text: string, line: number): vscode.DocumentLink[] {
  return [...text.matchAll(/command:[^\s)>]+/gi)].map(({ 0: { length }, index }) => {
    const link = new vscode.DocumentLink(new vscode.Range(line, index, line, index + length));
    link.tooltip = vscode.l10n.t("A command that a chat names is not run from here");
    return link;
  });
}

function linkOf({ line, start, length, act, id }: Spot, uri: vscode.Uri): vscode.DocumentLink {
  const given = encodeURIComponent(JSON.stringify([uri.toString(), id]));
  const target = vscode.Uri.parse(`command:${COMMANDS[act]}?${given}`);
  const link = new vscode.DocumentLink(new vscode.Range(line, start, line, start + length), target);
  link.tooltip = tooltip(act);
  return link;
}

function tooltip(act: Act): string {
  switch (act) {
    case "show":
      return vscode.l10n.t("Show the message that this is from");
    case "putBack":
      return vscode.l10n.t("Put this into the text below");
    case "all":
      return vscode.l10n.t("List all that is lost");
    case "allBack":
      return vscode.l10n.t("Put all that is lost into the text below");
  }
}
