/** The connection to a running server: how it is opened, asked, and ended. */

import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import { type LanguageClient, ProgressType, State } from "vscode-languageclient/node";
import { Fault } from "../faults";
import type { Asking, MeterMoved, OperationName } from "../house";
import type { Operations } from "../wire";
import { type Introduction, whatIsWrong } from "./fits";
import { answerQuestions } from "./host";
import { inTime } from "./inTime";
import type { Program } from "./program";
import { quietClient } from "./quiet";
import { faultOf } from "./refusal";
import { traceInto } from "./trace";

export interface Connection {
  readonly program: Program;
  ask<Name extends OperationName>(
    name: Name,
    params: Operations[Name]["params"],
    asking: Asking,
  ): Promise<Operations[Name]["result"]>;
  end(): Promise<void>;
}

export interface Listening {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly metered: (moved: MeterMoved) => void;
  /** Called when the server ended without having been asked to. */
  readonly died: () => void;
}

const PATIENCE_MS = 30_000;
const TEXT = new ProgressType<{ readonly kind: string; readonly text: string }>();

/** Starts a program and gives the connection once it has answered as a server that fits; rejects with whatever stood in the way. */
export async function connect(program: Program, listening: Listening): Promise<Connection> {
  const { client, end } = await prepared(program, listening);
  try {
    await inTime(client.start(), PATIENCE_MS);
    expectFitting(program, client.initializeResult ?? {});
    expectAlive(client);
  } catch (problem) {
    await end();
    throw problem;
  }
  const states = client.onDidChangeState(({ newState }) => newState === State.Stopped && listening.died());
  const endQuietly = () => {
    states.dispose();
    return end();
  };
  return {
    program,
    ask: (name, params, asking) => ask(client, name, params, asking).catch((problem) => told(problem, name, listening)),
    end: endQuietly,
  };
}

/** Makes a client that is ready to start, in a folder of the extension's own: never in the workspace. */
async function prepared(
  program: Program,
  { context, log, metered }: Listening,
): Promise<{ readonly client: LanguageClient; readonly end: () => Promise<void> }> {
  const storage = context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true });
  const trace = traceInto(log);
  const client = quietClient(program, storage, log, trace);
  const answering = answerQuestions(client, context);
  client.onNotification("compactChat/meter", metered);
  const end = async () => {
    answering.dispose();
    await client.dispose().catch(() => undefined);
    trace.dispose();
  };
  return { client, end };
}

/** It may have died after its answer, before there was a listener. */
function expectAlive({ state }: LanguageClient): void {
  if (state !== State.Running) {
    throw new Error("The server ended as soon as it had answered.");
  }
}

function expectFitting({ command }: Program, introduction: Introduction): void {
  const wrong = whatIsWrong(introduction);
  if (wrong === undefined) {
    return;
  }
  const sentence =
    wrong === "other"
      ? vscode.l10n.t("{0} answers, but is no server of Compact Chat: name another one in the settings.", command)
      : vscode.l10n.t(
          "The server of {0} does not fit this extension: update it, or name another one in the settings.",
          command,
        );
  throw new Fault("wrongServer", sentence);
}

async function ask<Name extends OperationName>(
  client: LanguageClient,
  name: Name,
  params: Operations[Name]["params"],
  { token, heard }: Asking,
): Promise<Operations[Name]["result"]> {
  const hearing = heard && hear(client, heard);
  const given = { ...params, ...(hearing && { partialResultToken: hearing.token }) };
  try {
    return await client.sendRequest(`compactChat/${name}`, given, ...(token ? [token] : []));
  } finally {
    hearing?.dispose();
  }
}

/** Returns the fault; the log has details only if it is not the server's own, and never what was said. */
function told(problem: unknown, name: OperationName, { log }: Listening): never {
  const fault = faultOf(problem, vscode.l10n.t);
  if (fault.kind === "internal") {
    const { name: kind, code } = problem as { name?: unknown; code?: unknown };
    log.error(`${name} failed: ${kind ?? ""} ${code ?? ""}`);
  }
  throw fault;
}

function hear(client: LanguageClient, heard: (text: string) => void): { readonly token: string; dispose(): void } {
  const token = randomUUID();
  const listening = client.onProgress(TEXT, token, ({ kind, text }) => {
    if (kind === "text") {
      heard(text);
    }
  });
  return { token, dispose: () => listening.dispose() };
}
