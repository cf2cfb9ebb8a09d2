/** Previews and a server for the tests of this room. */

import { Fault } from "../../src/faults";
import type { Asking, Server } from "../../src/house";
import type { MessageFate, Options, Preview } from "../../src/wire";
import { l10n } from "../fakes/vscode";

export const ENGLISH = { t: l10n.t, language: "en" };

export function fateOf(given: Partial<MessageFate> = {}): MessageFate {
  const usual = {
    id: "m1",
    index: 0,
    role: "user",
    kind: "text",
    fate: "keep",
    reason: "It stays.",
    excerpt: "Fix the parser",
  } as const;
  return { ...usual, tokens: 1240, tokensAfter: 1240, ...given };
}

export function previewOf(given: Partial<Preview> = {}): Preview {
  return {
    planId: "plan",
    action: "compact",
    advice: "none",
    reason: "A summary replaces 1 of 2 messages.",
    split: 1,
    messages: [fateOf({ fate: "summarize", tokensAfter: 0 }), fateOf({ id: "m2", index: 1, role: "assistant" })],
    before: 128_412,
    after: 4210,
    afterLow: 4000,
    afterHigh: 4400,
    nextChat: null,
    lengths: null,
    request: null,
    instructions: [],
    files: { read: [], modified: [] },
    redactions: { total: 0, kinds: {} },
    warnings: [],
    ...given,
  };
}

/** A question that a test answers when it likes. */
export interface Asked {
  readonly name: string;
  readonly params: { readonly options?: Options; readonly planId?: string; readonly provider?: string };
  readonly answer: (result: unknown) => Promise<void>;
  readonly refuse: (kind: string, sentence: string) => Promise<void>;
  readonly isCancelled: () => boolean;
}

/** A server that keeps each question until it is answered; one that is cancelled refuses, as the real one does. */
export function serverAsked(): { server: Server; asked: Asked[] } {
  const asked: Asked[] = [];
  const ask = (name: string, params: Asked["params"], asking?: Asking) =>
    new Promise((resolve, reject) => {
      asking?.token?.onCancellationRequested(() => reject(new Fault("cancelled", "It was cancelled.")));
      asked.push({
        name,
        params,
        answer: (result) => afterwards(() => resolve(result)),
        refuse: (kind, sentence) => afterwards(() => reject(new Fault(kind, sentence))),
        isCancelled: () => asking?.token?.isCancellationRequested ?? false,
      });
    });
  return { server: { ask } as unknown as Server, asked };
}

/** Waits until all that follows from something that is already settled has happened. */
export function afterwards(deed: () => void = () => undefined): Promise<void> {
  deed();
  return new Promise((resolve) => setImmediate(resolve));
}
