/** What can go wrong, as one kind, one sentence for a person, and data for programs. */

/** Gives a sentence in the language of the editor; `vscode.l10n.t` is one. */
export type Translate = (text: string, ...inserted: (string | number)[]) => string;

export class Fault extends Error {
  constructor(
    readonly kind: string,
    sentence: string,
    readonly data: Readonly<Record<string, unknown>> = {},
    /** The code of an answer of the server, or to the page. */
    readonly code?: number,
  ) {
    super(sentence);
    this.name = "Fault";
  }
}

/** Says whether something failed only because a person stopped it. */
export function isCancelled(problem: unknown): boolean {
  return problem instanceof Fault && problem.kind === "cancelled";
}
