/** What can go wrong, as one kind, one sentence for a person, and data for programs. */

export class Fault extends Error {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The code of an answer of the server, or to the page. */
  readonly code: number | undefined;

  constructor(kind: string, sentence: string, data: Readonly<Record<string, unknown>> = {}, code?: number) {
    super(sentence);
    [this.name, this.kind, this.data, this.code] = ["Fault", kind, data, code];
  }
}

/** Says whether something failed only because a person stopped it. */
export function isCancelled(problem: unknown): boolean {
  return problem instanceof Fault && problem.kind === "cancelled";
}
