/** JSON-RPC 2.0 between the page and its host, over any channel. Free of DOM, for both sides. */

import { Fault } from "../src/faults";
import type { Draft, DraftParams, MessageText, Past } from "../src/wire";

/** An action of the host: a button in the page's row, or in its overflow menu. */
export interface HostAction {
  id: string;
  title: string;
  keys?: string;
  primary?: boolean;
  overflow?: boolean;
}

/** The model that rewrites a summary, and whether consent to it is stored. */
export interface HostModel {
  provider: "anthropic" | "editor";
  name: string;
  confirmed: boolean;
}

/** What the host can do; sent again whenever it changes. */
export interface HostState {
  actions: HostAction[];
  model: HostModel | null;
  names?: Readonly<Record<string, string>>; // of models, by their ids
}

/** The answer to the page's first request. */
export interface HostReady extends HostState {
  draft?: Draft; // if the host has it already
  open?: DraftParams; // else how to get it
}

/** `host/do`: run one of the host's actions on the draft that the page shows. */
export interface DoParams {
  action: string;
  draftId: string;
}

/** What is shown in a window above the page: messages, or compactions to open. */
export interface Reading {
  title: string;
  messages?: readonly MessageText[];
  compactions?: readonly Past[];
}

/** The result of an action: one sentence, or something to show. */
export interface Done {
  status?: string;
  reading?: Reading;
}

const [REFUSED, CANCELLED] = [-32803, -32800]; // the only error codes sent; `data.kind` names the fault

export interface Channel {
  send(message: object): void;
  listen(heard: (message: unknown) => void, closed: () => void): void;
}

/** Progress, streamed text and cancelling of a request. */
export interface Watching {
  progress?: (sentence: string, percentage: number | undefined) => void;
  text?: (text: string) => void;
  signal?: AbortSignal;
}

/** The same for the side that answers. */
export interface Running {
  readonly signal: AbortSignal;
  readonly progress: (value: object) => void;
  readonly text: (text: string) => void;
}

export type Methods = Readonly<Record<string, (params: never, running: Running) => Promise<unknown>>>;

interface Waiting extends Watching {
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

interface Heard {
  id?: number;
  method?: string;
  params?: Readonly<Record<string, unknown>>;
  result?: unknown;
  error?: { message: string; data?: Record<string, unknown> };
}

/** A JSON-RPC peer: requests with progress and cancelling, answers by a table of methods, and notifications. */
export class Port {
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (params: never) => void>();
  readonly #running = new Map<unknown, AbortController>();
  readonly #channel: Channel;
  readonly #methods: Methods;
  readonly #faultOf: (problem: unknown) => Fault;
  #last = 0;
  #isClosed = false;

  /** `faultOf` is told of problems of the methods that are no faults; what they say may be text of a chat. */
  constructor(
    channel: Channel,
    onClosed: () => void,
    methods: Methods = {},
    faultOf: (problem: unknown) => Fault = () => new Fault("internal", "Something went wrong."),
  ) {
    [this.#channel, this.#methods, this.#faultOf] = [channel, methods, faultOf];
    channel.listen(
      (message) => this.#hear(message as Heard),
      () => {
        this.#isClosed = true;
        for (const { reject } of this.#waiting.values()) {
          reject(new Fault("closed", "The connection is closed."));
        }
        onClosed();
      },
    );
  }

  on<P>(method: string, heard: (params: P) => void): void {
    this.#listeners.set(method, heard as (params: never) => void);
  }

  hear(method: string, params: object): void {
    this.#listeners.get(method)?.(params as never);
  }

  notify(method: string, params: object): void {
    this.#channel.send({ jsonrpc: "2.0", method, params });
  }

  /** Aborts all requests being answered. */
  stop(): void {
    for (const running of this.#running.values()) {
      running.abort();
    }
  }

  request<R>(method: string, params: object, watching: Watching = {}): Promise<R> {
    this.#last += 1;
    const id = this.#last;
    const { progress, text, signal } = watching;
    const tokens = { ...(progress && { workDoneToken: `${id}` }), ...(text && { partialResultToken: `${id}` }) };
    const cancel = () => this.notify("$/cancelRequest", { id });
    return new Promise<R>((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Fault("closed", "The connection is closed."));
        return;
      }
      this.#waiting.set(id, { ...watching, resolve: resolve as Waiting["resolve"], reject });
      signal?.addEventListener("abort", cancel);
      this.#channel.send({ jsonrpc: "2.0", id, method, params: { ...params, ...tokens } });
      if (signal?.aborted) {
        cancel();
      }
    }).finally(() => signal?.removeEventListener("abort", cancel));
  }

  #hear({ id, method, params = {}, result, error }: Heard): void {
    if (method === "$/progress") {
      const { progress, text } = this.#waiting.get(Number(params.token)) ?? {};
      const value = params.value as Progress;
      if (value.kind === "text") {
        text?.(value.text ?? "");
      } else {
        progress?.(value.message ?? value.title ?? "", value.percentage);
      }
    } else if (method === "$/cancelRequest") {
      this.#running.get(params.id)?.abort();
    } else if (method !== undefined && id !== undefined) {
      void this.#answer(id, method, params);
    } else if (method !== undefined) {
      this.hear(method, params);
    } else if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      error
        ? waiting?.reject(new Fault(String(error.data?.kind), error.message, error.data))
        : waiting?.resolve(result);
    }
  }

  async #answer(
    id: number,
    method: string,
    { workDoneToken, partialResultToken, ...params }: Heard["params"] & object,
  ) {
    const running = new AbortController();
    this.#running.set(id, running);
    const report = (token: unknown, value: object) => {
      if (token !== undefined) {
        this.notify("$/progress", { token, value });
      }
    };
    try {
      const act = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
      if (act === undefined) {
        throw new Fault("methodNotFound", "There is no such method.");
      }
      const result = await act(params as never, {
        signal: running.signal,
        progress: (value) => report(workDoneToken, value),
        text: (text) => report(partialResultToken, { kind: "text", text }),
      });
      this.#channel.send({ jsonrpc: "2.0", id, result: result ?? null });
    } catch (problem) {
      const { message, kind, data } = problem instanceof Fault ? problem : this.#faultOf(problem);
      const code = kind === "cancelled" ? CANCELLED : REFUSED;
      this.#channel.send({ jsonrpc: "2.0", id, error: { code, message, data: { ...data, kind } } });
    } finally {
      this.#running.delete(id);
    }
  }
}
