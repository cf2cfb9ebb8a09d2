/** Reports, chats, and a server for the tests of this room. */

import { Fault } from "../../src/faults";
import type { ChatInUse, House } from "../../src/house";
import type { Server, ServerState } from "../../src/server/server";
import type { Parts, TokenReport, Watched } from "../../src/wire";
import { EventEmitter } from "../fakes/vscode";

const NO_PARTS: Parts = {
  fixed: 0,
  summary: 0,
  user: 0,
  assistant: 0,
  toolCalls: 0,
  toolResults: 0,
  thinking: 0,
  images: 0,
};

export function reportOf(given: Partial<Omit<TokenReport, "parts">> & { parts?: Partial<Parts> } = {}): TokenReport {
  const usual: TokenReport = {
    model: "claude-sonnet-5",
    tool: "claude-code",
    format: "claude-code",
    title: "Fix the parser",
    messageCount: 12,
    used: 126_000,
    low: 126_000,
    high: 126_000,
    window: 200_000,
    windowBasis: "table",
    percent: 63,
    basis: "measured",
    parts: NO_PARTS,
    advice: "none",
    reason: "There is room.",
    warnings: [],
    hostMeter: null,
    limit: null,
    percentOfLimit: null,
    turnsLeft: null,
    windowsPossible: [],
    compactions: { total: 0, automatic: 0, lastBefore: null, lastAfter: null },
  };
  return { ...usual, ...given, parts: { ...NO_PARTS, ...given.parts } };
}

export function chatOf(report: TokenReport = reportOf(), uri = "file:///chats/one.jsonl"): ChatInUse {
  const { tool, title } = report;
  return { uri, tool, title, report };
}

type Answer = (params: Record<string, unknown>) => unknown;

/** A server whose answers a test sets by the name of the operation; it notes what it was asked. */
export class FakeServer {
  readonly asked: { name: string; params: Record<string, unknown>; quietly: boolean }[] = [];
  readonly answers: Record<string, Answer> = {};
  readonly done: string[] = [];
  readonly #moved = new EventEmitter<Watched>();
  readonly #state = new EventEmitter<ServerState>();
  readonly onMeter = this.#moved.event;
  readonly onState = this.#state.event;
  state: ServerState = "stopped";
  /** What it tells who asks quietly, once it has failed. */
  readonly failure = new Fault("serverFailed", "The server ended several times.");

  /** The server as rooms know it. */
  get real(): Server {
    return this as unknown as Server;
  }

  async ask(name: string, params: Record<string, unknown>, asking: { quietly?: boolean } = {}): Promise<unknown> {
    this.asked.push({ name, params, quietly: asking.quietly === true });
    if (this.state === "failed" && asking.quietly) {
      throw this.failure;
    }
    const answer = this.answers[name];
    if (answer === undefined) {
      throw new Fault("internal", `Nobody expected ${name}.`);
    }
    this.become("running");
    return answer(params);
  }

  askedFor(name: string): Record<string, unknown>[] {
    return this.asked.filter((one) => one.name === name).map(({ params }) => params);
  }

  async isAtHand(): Promise<boolean> {
    return true;
  }

  become(state: ServerState): void {
    if (this.state === state) {
      return;
    }
    this.state = state;
    this.#state.fire(state);
  }

  tell(moved: Watched): void {
    this.#moved.fire(moved);
  }

  async stop(): Promise<void> {
    this.done.push("stop");
    this.become("stopped");
  }

  async setUp(): Promise<void> {
    this.done.push("setUp");
  }
}

/** Waits until something holds, and fails where it does not in time. */
export async function until(holds: () => boolean, what = "it never came true", patience = 30_000): Promise<void> {
  const deadline = Date.now() + patience;
  while (!holds()) {
    if (Date.now() > deadline) {
      throw new Error(what);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Lets everything that waits for nothing come to its end. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function houseOf(given: Record<string, unknown>): House {
  return given as unknown as House;
}
