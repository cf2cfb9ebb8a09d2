/** Read-only documents that this window made: each a text with actions on its first line and links in it. */

import * as vscode from "vscode";
import type { Survival } from "../wire";
import { fileName } from "./address";
import { AskedLenses } from "./askedLenses";
import { provideLinks } from "./links";
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
  readonly #parts: vscode.Disposable;
  #made = 0;

  constructor() {
    const provideTextDocumentContent = (uri: vscode.Uri) => this.#textOf(uri);
    this.#parts = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(PAPER_SCHEME, { provideTextDocumentContent }),
      new AskedLenses(PAPER_SCHEME, (uri) => lensesOf(this.of(uri))),
      provideLinks(PAPER_SCHEME, (uri) => this.of(uri)?.sheet),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#papers.delete(uri.toString())),
    );
  }

  of(uri: vscode.Uri): Paper | undefined {
    return this.#papers.get(uri.toString());
  }

  async show(paper: Paper): Promise<vscode.Uri> {
    this.#made += 1;
    const uri = vscode.Uri.from({ scheme: PAPER_SCHEME, path: `/${this.#made}/${fileName(paper.title)}.md` });
    this.#papers.set(uri.toString(), paper);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
    return uri;
  }

  dispose(): void {
    this.#parts.dispose();
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
