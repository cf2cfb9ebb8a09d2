/** What can go wrong, as one kind, one sentence for a person, and data for programs. */

export class Fault extends Error {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(kind: string, sentence: string, data: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    [this.name, this.kind, this.data] = ["Fault", kind, data];
  }
}
