/** The JSON-RPC connection to one server process: start, handshake, requests, settings, trace and end. */

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import {
  createMessageConnection,
  type MessageConnection,
  NullLogger,
  ProgressType,
  type ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  Trace,
} from "vscode-jsonrpc/node";
import { Fault } from "../faults";
import { inTime } from "../patience";
import type { Operations, Watched } from "../wire";
import { t } from "../words";
import { answerRequests } from "./host";
import type { Program } from "./program";
import type { Asking } from "./server";

export interface Connection {
  readonly version: string;
  ask<Name extends keyof Operations>(
    name: Name,
    params: Operations[Name]["params"],
    asking: Asking,
  ): Promise<Operations[Name]["result"]>;
  end(): Promise<void>;
}

export interface Listening {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly metered: (moved: Watched) => void;
  /** Called when the process ended without having been asked to. */
  readonly died: () => void;
}

const SECTION = "compactChat";
/** The settings that the server reads; empty means unset. */
const SETTINGS = ["provider", "summaryModel", "style", "redactEmails", "archive", "windows"];
const WIRE = 1;
const NEWEST = "strip"; // of the features that are needed: a server that has it has the others too
const [START_MS, END_MS] = [30_000, 2000];
/** Codes of vscode-jsonrpc for a connection that ended before the answer, or was gone already. */
const GONE: readonly unknown[] = [-32099, -32098, -32097, -32096, 1, 2];
const PROGRESS = new ProgressType<{ readonly kind: string; readonly text?: string }>();

/** Start a program and initialize it; rejects with a `Fault` if it is not our server, else with the plain error. */
export async function connect(program: Program, listening: Listening): Promise<Connection> {
  const { log, died } = listening;
  const child = await spawned(program, log);
  const rpc = createMessageConnection(
    new StreamMessageReader(child.stdout as NodeJS.ReadableStream),
    new StreamMessageWriter(child.stdin as NodeJS.WritableStream),
    NullLogger,
  );
  const listeners = serveHost(rpc, listening);
  const isOver = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async () => {
    listeners.dispose(); // models that write stop first
    try {
      await inTime(rpc.sendRequest("shutdown"), END_MS);
      await rpc.sendNotification("exit");
      await inTime(isOver, END_MS);
    } catch {
      child.kill("SIGKILL"); // which does nothing to a process that is gone
    }
    rpc.dispose();
  };
  rpc.onClose(() => rpc.dispose()); // rejects what is still asked
  try {
    rpc.listen();
    const failed = isOver.then(() => Promise.reject(new Error("The process ended before it answered.")));
    const answer = await inTime(Promise.race([rpc.sendRequest("initialize", introduction()), failed]), START_MS);
    const version = fitting(program, answer as Introduction);
    await rpc.sendNotification("initialized", {});
    let isEnding = false;
    void isOver.then(() => isEnding || died());
    return {
      version,
      ask: (name, params, asking) =>
        request(rpc, name, params, asking).catch((problem) => {
          throw faultOf(problem, name, log);
        }),
      end: () => {
        isEnding = true;
        return end();
      },
    };
  } catch (problem) {
    await end();
    throw problem;
  }
}

/** The process runs in the extension's own storage: never in the workspace. */
async function spawned({ command, args, cwd }: Program, log: vscode.LogOutputChannel): Promise<ChildProcess> {
  const child = spawn(command, args, { cwd, stdio: "pipe", windowsHide: true });
  createInterface({ input: child.stderr }).on("line", (line) => log.info(line));
  child.stdin.on("error", () => undefined); // the exit tells it
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  return child;
}

function introduction(): unknown {
  return {
    processId: process.pid,
    rootUri: null,
    clientInfo: { name: "Compact Chat for VS Code" },
    capabilities: { workspace: { configuration: true, didChangeConfiguration: {} } },
    initializationOptions: { compactChat: { languageModels: true, secrets: true } },
  };
}

interface Introduction {
  readonly serverInfo?: { readonly name?: string; readonly version?: string };
  readonly capabilities?: {
    readonly experimental?: {
      readonly compactChat?: { version: unknown; operations: unknown; features?: readonly unknown[] };
    };
  };
}

/** Return the server's version; refuse a server of another kind, and one that lacks what is needed. */
function fitting({ command }: Program, { serverInfo, capabilities }: Introduction): string {
  const card = capabilities?.experimental?.compactChat;
  if (serverInfo?.name !== "compact-chat" || !Array.isArray(card?.operations)) {
    throw new Fault("wrongServer", t('"{0}" is not a Compact Chat server. Check the settings.', command));
  }
  if (card.version !== WIRE || !card.features?.includes(NEWEST)) {
    throw new Fault("wrongServer", t('The server "{0}" does not match this extension. Update it.', command));
  }
  return serverInfo.version ?? "?";
}

/** Answer the server's requests, send it changed settings, and trace method names (never contents) if a setting says so. */
function serveHost(rpc: MessageConnection, { context, metered, log }: Listening): vscode.Disposable {
  const settings = () => {
    const read = vscode.workspace.getConfiguration(SECTION);
    const values = SETTINGS.map((name) => [name, read.get(name)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null && value !== ""));
  };
  rpc.onRequest("workspace/configuration", ({ items }: { items: { section?: string }[] }) =>
    items.map(({ section }) => (section === SECTION ? settings() : null)),
  );
  rpc.onNotification(`${SECTION}/meter`, metered);
  rpc.onNotification("window/logMessage", ({ message }: { message: string }) => log.info(message));
  const trace = () => {
    const isOn = vscode.workspace.getConfiguration(SECTION).get("trace.server") === "messages";
    const tracer = { log: (message: string) => log.info(message.split(" Request failed", 1)[0] ?? "") };
    void rpc.trace(isOn ? Trace.Messages : Trace.Off, tracer).catch(() => undefined);
  };
  trace();
  return vscode.Disposable.from(
    answerRequests(rpc, context),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SECTION)) {
        const changed = { settings: { [SECTION]: settings() } };
        rpc.sendNotification("workspace/didChangeConfiguration", changed).catch(() => undefined);
        trace();
      }
    }),
  );
}

async function request<Name extends keyof Operations>(
  rpc: MessageConnection,
  name: Name,
  params: Operations[Name]["params"],
  { token, heard, worked }: Asking,
): Promise<Operations[Name]["result"]> {
  const [partialResultToken, workDoneToken] = [randomUUID(), randomUUID()];
  const listeners = [
    heard &&
      rpc.onProgress(PROGRESS, partialResultToken, ({ kind, text }) =>
        kind === "text" ? heard(text ?? "") : undefined,
      ),
    worked && rpc.onProgress(PROGRESS, workDoneToken, (value) => worked(value)),
  ];
  const given = { ...params, ...(heard && { partialResultToken }), ...(worked && { workDoneToken }) };
  try {
    return await rpc.sendRequest(`${SECTION}/${name}`, given, ...(token ? [token] : []));
  } finally {
    for (const one of listeners) {
      one?.dispose();
    }
  }
}

/** Turn an error into a fault; logs errors that are not the server's own, without their text. */
function faultOf(problem: unknown, asked: string, log: vscode.LogOutputChannel): Fault {
  const { code, data, name, message } = problem as Partial<ResponseError<{ readonly kind?: unknown } | undefined>>;
  if (typeof data?.kind === "string") {
    return new Fault(data.kind, String(message), data as Record<string, unknown>);
  }
  if (GONE.includes(code) || typeof code === "string") {
    return new Fault("serverFailed", t("The Compact Chat server stopped. It restarts with your next command."));
  }
  log.error(`${asked} failed: ${name ?? ""} ${code ?? ""}`);
  return new Fault("internal", t("The server could not be asked. See the log."));
}
