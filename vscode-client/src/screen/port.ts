/** The host's end of the page's port: answers its requests over JSON-RPC, passes on progress, and cancels. */

import * as vscode from "vscode";
import { Fault } from "../faults";

/** What a request may use while it runs. */
export interface Running {
  readonly token: vscode.CancellationToken;
  /** Passes text on to the page while a model writes it. */
  readonly text: (text: string) => void;
  /** Passes on how far the work is. */
  readonly progress: (value: object) => void;
}

export type Method = (params: never, running: Running) => Promise<unknown>;

interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const [INTERNAL, NO_METHOD] = [-32603, -32601];

export class HostPort implements vscode.Disposable {
  readonly #running = new Map<unknown, vscode.CancellationTokenSource>();

  readonly #send: (message: object) => void;
  readonly #methods: Readonly<Record<string, Method>>;

  constructor(send: (message: object) => void, methods: Readonly<Record<string, Method>>) {
    this.#send = send;
    this.#methods = methods;
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  async hear({ id, method = "", params = {} }: Heard): Promise<void> {
    if (method === "$/cancelRequest") {
      this.#running.get(params.id)?.cancel();
      return;
    }
    if (id === undefined) {
      return;
    }
    const source = new vscode.CancellationTokenSource();
    this.#running.set(id, source);
    try {
      const { workDoneToken, partialResultToken, ...asked } = params;
      const report = (token: unknown) => (value: object) => {
        if (token !== undefined) {
          this.notify("$/progress", { token, value });
        }
      };
      const text = (part: string) => report(partialResultToken)({ kind: "text", text: part });
      const running = { token: source.token, text, progress: report(workDoneToken) };
      const result = await this.#method(method)(asked as never, running);
      this.#send({ jsonrpc: "2.0", id, result: result ?? null });
    } catch (problem) {
      this.#send({ jsonrpc: "2.0", id, error: errorOf(problem) });
    } finally {
      this.#running.delete(id);
      source.dispose();
    }
  }

  dispose(): void {
    for (const source of this.#running.values()) {
      source.cancel();
    }
  }

  #method(name: string): Method {
    const method = Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
    if (method === undefined) {
      throw new Fault("methodNotFound", vscode.l10n.t("The page asked for something unknown."), {}, NO_METHOD);
    }
    return method;
  }
}

function errorOf(problem: unknown): object {
  const fault =
    problem instanceof Fault
      ? problem
      : new Fault("internal", vscode.l10n.t("Something went wrong in the extension; the log tells where."));
  return { code: fault.code ?? INTERNAL, message: fault.message, data: { ...fault.data, kind: fault.kind } };
}
