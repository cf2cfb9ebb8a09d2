/** Read-only documents that this window made: each a text with actions on its first line and links in it. */

import * as vscode from "vscode";
import type { Survival } from "../wire";
import { fileName } from "./address";
import { AskedLenses } from "./askedLenses";
import { provideLinks } from "./links";
import { MenuKey } from "./menus";
import type { Sheet } from "./sheet";
import type { Origin } from "./transcript";

export const PAPER_SCHEME = "compact-chat-paper";

/** The lost facts that the links of a document are about, and the chat that they are from. */
export interface LostFacts {
  readonly survival: Survival;
  readonly origin: Origin;
}

export interface Paper {
  readonly title: string;
  readonly sheet: Sheet;
  readonly actions: readonly vscode.Command[];
  readonly lost?: LostFacts;
}

export class Papers implements vscode.Disposable {
  readonly #papers = new Map<string, Paper>();
  readonly #withActions = new MenuKey("compactChat.papersWithActions");
  readonly #parts: vscode.Disposable;
  #made = 0;

  constructor() {
    const provideTextDocumentContent = (uri: vscode.Uri) => this.#textOf(uri);
    this.#parts = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(PAPER_SCHEME, { provideTextDocumentContent }),
      new AskedLenses(PAPER_SCHEME, (uri) => lensesOf(this.of(uri))),
      provideLinks(PAPER_SCHEME, (uri) => this.of(uri)?.sheet),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri)),
    );
    this.#tellMenus();
  }

  of(uri: vscode.Uri): Paper | undefined {
    return this.#papers.get(uri.toString());
  }

  async show(paper: Paper): Promise<vscode.Uri> {
    this.#made += 1;
    const uri = vscode.Uri.from({ scheme: PAPER_SCHEME, path: `/${this.#made}/${fileName(paper.title)}.md` });
    this.#papers.set(uri.toString(), paper);
    this.#tellMenus();
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
    return uri;
  }

  /** Lets a person choose one of the actions of a paper, which are its lenses too, where those are shown. */
  async offerActions(uri: vscode.Uri | undefined): Promise<void> {
    const paper = uri && this.of(uri);
    if (!paper) {
      return;
    }
    const items = paper.actions.map(({ title, ...action }) => ({ label: title, ...action }));
    const chosen = await vscode.window.showQuickPick(items, { title: paper.title });
    if (chosen) {
      await vscode.commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
    }
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #forget(uri: vscode.Uri): void {
    this.#papers.delete(uri.toString());
    this.#tellMenus();
  }

  #tellMenus(): void {
    const withActions = [...this.#papers].filter(([, { actions }]) => actions.length > 0);
    this.#withActions.tell(withActions.map(([address]) => address));
  }

  #textOf(uri: vscode.Uri): string {
    return (
      this.of(uri)?.sheet.text ??
      vscode.l10n.t("This text was not kept when the window was reloaded; ask for it again.")
    );
  }
}

function lensesOf(paper: Paper | undefined): vscode.CodeLens[] {
  return (paper?.actions ?? []).map((action) => new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), action));
}
