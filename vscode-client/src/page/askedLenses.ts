/** Lenses of our documents, which the editor asks for also where it has let a question drop. */

import * as vscode from "vscode";

const FIRST = 500; // milliseconds, doubled each time: after a change notification, the editor waits again before it requests lenses
const LOOKS = 6;

/** The editor waits a moment before it asks for lenses, and asks no more when the text loses the focus meanwhile. */
export class AskedLenses implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #parts: vscode.Disposable;
  readonly #unasked = new Set<string>();
  #shown: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly scheme: string,
    lensesOf: (uri: vscode.Uri) => vscode.CodeLens[],
  ) {
    const provideCodeLenses = ({ uri }: vscode.TextDocument) => {
      this.#unasked.delete(uri.toString());
      return lensesOf(uri);
    };
    const provider = { onDidChangeCodeLenses: this.#changed.event, provideCodeLenses };
    this.#parts = vscode.Disposable.from(
      this.#changed,
      vscode.languages.registerCodeLensProvider({ scheme }, provider),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#see()),
    );
    this.#see();
  }

  /** Has the lenses asked for anew. */
  renew(): void {
    this.#shown = this.#shownNow();
    this.#expect(this.#shown);
    this.#changed.fire();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#parts.dispose();
  }

  #see(): void {
    const before = this.#shown;
    this.#shown = this.#shownNow();
    this.#expect([...this.#shown].filter((uri) => !before.has(uri)));
  }

  #shownNow(): Set<string> {
    const shown = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
    return new Set(shown.filter(({ scheme }) => scheme === this.scheme).map(String));
  }

  #expect(uris: Iterable<string>): void {
    for (const uri of uris) {
      this.#unasked.add(uri);
    }
    clearTimeout(this.#timer);
    this.#look(FIRST, LOOKS);
  }

  #look(pause: number, left: number): void {
    this.#timer = setTimeout(() => {
      if (left > 0 && [...this.#unasked].some((uri) => this.#shown.has(uri))) {
        this.#changed.fire();
        this.#look(2 * pause, left - 1);
      }
    }, pause);
  }
}
