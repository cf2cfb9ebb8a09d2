/** The actions of a page, as code lenses above its first lines. */

import * as vscode from "vscode";
import type { Models } from "../house";
import { AskedLenses } from "./askedLenses";
import { SCHEME } from "./files";
import { type Row, rowsFor } from "./lensRows";
import type { OpenPage } from "./openPage";

const PAUSE = 400; // milliseconds: lenses that move more often cannot be clicked

type Known = (uri: vscode.Uri) => OpenPage | undefined;

export function provideLenses(known: Known, models: Models, changed: vscode.Event<void>): vscode.Disposable {
  const lenses = new Lenses(known, models);
  return vscode.Disposable.from(
    lenses,
    changed(() => lenses.soon()),
    models.onChanged(() => lenses.lookUpAgain()),
  );
}

class Lenses implements vscode.Disposable {
  readonly #asked = new AskedLenses(SCHEME, (uri) => this.#lensesOf(uri));
  #timer: NodeJS.Timeout | undefined;
  #improver: string | undefined;
  #isLookedUp = false;

  constructor(
    private readonly known: Known,
    private readonly models: Models,
  ) {}

  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#asked.renew();
    }, PAUSE);
  }

  /** Asks anew who would improve a summary, but not before any page was shown. */
  lookUpAgain(): void {
    if (this.#isLookedUp) {
      this.#lookUp();
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#asked.dispose();
  }

  /** Gives the actions at once; the name of a model follows, since finding it may wake other extensions. */
  #lensesOf(uri: vscode.Uri): vscode.CodeLens[] {
    const page = this.known(uri);
    if (page && !this.#isLookedUp) {
      this.#lookUp();
    }
    return page ? rowsFor(page, this.#improver).flatMap(lensesIn) : [];
  }

  #lookUp(): void {
    this.#isLookedUp = true;
    this.models.improver().then(
      (improver) => this.#name(improver?.label),
      () => this.#name(undefined),
    );
  }

  #name(improver: string | undefined): void {
    if (improver !== this.#improver) {
      this.#improver = improver;
      this.#asked.renew();
    }
  }
}

function lensesIn({ line, commands }: Row): vscode.CodeLens[] {
  return commands.map((command) => new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command));
}
