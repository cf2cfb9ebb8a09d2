/** The connection to a running server: how it is started, asked, and ended. */

import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import {
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  ProgressType,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";
import { Fault } from "../faults";
import type { Asking, MeterMoved, OperationName } from "../house";
import type { Operations } from "../wire";
import { Configuration } from "./configuration";
import { type Introduction, whatIsWrong } from "./fits";
import { answerQuestions } from "./host";
import type { Program } from "./program";
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
  const storage = listening.context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true });
  const trace = traceInto(listening.log);
  const client = clientOf(program, storage, listening.log, trace);
  client.onNotification("compactChat/meter", listening.metered);
  const answering = answerQuestions(client, listening.context);
  const end = async () => {
    await client.dispose().catch(() => undefined);
    vscode.Disposable.from(answering, trace).dispose();
  };
  try {
    await inTime(client.start());
    expectFitting(program, client.initializeResult ?? {});
  } catch (problem) {
    await end();
    throw problem;
  }
  const states = client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) {
      listening.died();
    }
  });
  return {
    program,
    ask: (name, params, asking) => ask(client, name, params, asking),
    end: () => {
      states.dispose();
      return end();
    },
  };
}

/** Says nothing by itself: whoever asked hears what went wrong, in one sentence. */
class QuietClient extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (feature instanceof Configuration) {
      super.registerFeature(feature);
    }
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function clientOf(
  { command, args }: Program,
  cwd: string,
  outputChannel: vscode.LogOutputChannel,
  traceOutputChannel: vscode.LogOutputChannel,
): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [],
    outputChannel,
    traceOutputChannel,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: { compactChat: { languageModels: true, secrets: true } },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
  };
  const client = new QuietClient(
    "compact-chat",
    "Compact Chat",
    { command, args: [...args], options: { cwd } },
    options,
  );
  client.registerFeature(new Configuration(client));
  return client;
}

async function inTime(starting: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The server did not answer in time.")), PATIENCE_MS);
  });
  try {
    await Promise.race([starting, late]);
  } finally {
    clearTimeout(timer);
  }
}

function expectFitting({ command }: Program, introduction: Introduction): void {
  const wrong = whatIsWrong(introduction);
  if (wrong === undefined) {
    return;
  }
  const sentence =
    wrong === "other"
      ? vscode.l10n.t("{0} answers, but is no server of Compact Chat: change the setting that names it.", command)
      : vscode.l10n.t(
          "The server of {0} does not fit this extension: update it, or change the setting that names it.",
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
  const partialResultToken = heard && randomUUID();
  const hearing = partialResultToken && client.onProgress(TEXT, partialResultToken, ({ text }) => heard?.(text));
  const given = { ...params, ...(partialResultToken ? { partialResultToken } : {}) };
  try {
    return await client.sendRequest(`compactChat/${name}`, given, ...(token ? [token] : []));
  } catch (problem) {
    throw faultOf(problem, vscode.l10n.t);
  } finally {
    if (hearing) {
      hearing.dispose();
    }
  }
}
