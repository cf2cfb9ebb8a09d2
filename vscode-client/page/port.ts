/** What the page and its host say to each other: JSON-RPC 2.0 objects over any channel. Free of DOM, for both sides. */

import type { DraftParams, MessageText, Past } from "../src/wire";

/** An action of the host: a button in the page's row, or in its overflow menu. */
export interface HostAction {
  id: string;
  title: string;
  keys?: string;
  primary?: boolean;
  overflow?: boolean;
}

/** Who rewrites a summary, and whether its consent is stored. */
export interface HostModel {
  provider: "anthropic" | "editor";
  name: string;
  confirmed: boolean;
}

/** What the page asks its host for first, and hears again whenever it changes. */
export interface HostState {
  open: DraftParams;
  actions: HostAction[];
  model: HostModel | null;
}

/** `host/do`: run one of the host's actions on the draft that the page shows. */
export interface DoParams {
  action: string;
  draftId: string;
  version: number;
}

/** What is shown in a window above the page: messages, or compactions to open. */
export interface Reading {
  title: string;
  messages?: readonly MessageText[];
  compactions?: readonly Past[];
}

/** What an action says when it is done: one sentence, or what to show. */
export interface Done {
  status?: string;
  reading?: Reading;
}

export const DRAFT_OUTDATED = -32051;
export const CANCELLED = -32800;

/** A channel for JSON-RPC objects. */
export interface Channel {
  send(message: object): void;
  listen(heard: (message: unknown) => void, closed: () => void): void;
}

/** An error that the other side answered with. */
export class Refused extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(message: string, code: number, data: Readonly<Record<string, unknown>>) {
    super(message);
    [this.code, this.data] = [code, data];
  }
}

/** What a request may take part in while it runs. */
export interface Watching {
  progress?: (sentence: string, percentage: number | undefined) => void;
  text?: (text: string) => void;
  signal?: AbortSignal;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Progress {
  kind: string;
  title?: string;
  message?: string;
  percentage?: number;
  text?: string;
}

/** A JSON-RPC peer: requests with progress and cancelling, and notifications from the other side. */
export class Port {
  readonly #waiting = new Map<number, Waiting>();
  readonly #watching = new Map<string, (progress: Progress) => void>();
  readonly #listeners = new Map<string, (params: never) => void>();
  #last = 0;
  #isClosed = false;

  readonly #channel: Channel;
  readonly #onClosed: () => void;

  constructor(channel: Channel, onClosed: () => void) {
    this.#channel = channel;
    this.#onClosed = onClosed;
    channel.listen(
      (message) => this.#hear(message as Heard),
      () => this.#close(),
    );
  }

  /** Calls `heard` with the params of each notification of a method. */
  on<P>(method: string, heard: (params: P) => void): void {
    this.#listeners.set(method, heard as (params: never) => void);
  }

  notify(method: string, params: object): void {
    this.#channel.send({ jsonrpc: "2.0", method, params });
  }

  request<R>(method: string, params: object, { progress, text, signal }: Watching = {}): Promise<R> {
    this.#last += 1;
    const id = this.#last;
    const tokens: { workDoneToken?: string; partialResultToken?: string } = {};
    if (progress !== undefined) {
      tokens.workDoneToken = `work-${id}`;
      this.#watching.set(tokens.workDoneToken, ({ title, message, percentage }) =>
        progress(message ?? title ?? "", percentage),
      );
    }
    if (text !== undefined) {
      tokens.partialResultToken = `text-${id}`;
      this.#watching.set(tokens.partialResultToken, (value) => text(value.text ?? ""));
    }
    const cancel = () => this.notify("$/cancelRequest", { id });
    return new Promise<R>((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Refused("The connection is closed.", 0, {}));
        return;
      }
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      signal?.addEventListener("abort", cancel);
      this.#channel.send({ jsonrpc: "2.0", id, method, params: { ...params, ...tokens } });
    }).finally(() => {
      signal?.removeEventListener("abort", cancel);
      for (const token of Object.values(tokens)) {
        this.#watching.delete(token);
      }
    });
  }

  #hear(message: Heard): void {
    if (message.method === "$/progress") {
      this.#watching.get(String(message.params?.token))?.(message.params?.value as Progress);
    } else if (message.method !== undefined) {
      this.#listeners.get(message.method)?.(message.params as never);
    } else if (message.id !== undefined) {
      const answer = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error !== undefined) {
        answer?.reject(new Refused(message.error.message, message.error.code, message.error.data ?? {}));
      } else {
        answer?.resolve(message.result);
      }
    }
  }

  #close(): void {
    this.#isClosed = true;
    for (const answer of this.#waiting.values()) {
      answer.reject(new Refused("The connection is closed.", 0, {}));
    }
    this.#waiting.clear();
    this.#onClosed();
  }
}

interface Heard {
  id?: number;
  method?: string;
  params?: { token?: unknown; value?: unknown };
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}
