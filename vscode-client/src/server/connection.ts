/** The JSON-RPC connection to one server process: start, handshake, settings, trace and end. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import * as vscode from "vscode";
import { type Message, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type Channel, Port, type Watching } from "../../page/port";
import { Fault } from "../faults";
import { inTime } from "../patience";
import type { Operations, Watched } from "../wire";
import { t } from "../words";
import { hostMethods } from "./host";
import type { Program } from "./program";

export type Connection = Awaited<ReturnType<typeof connect>>;

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

/** Start a program and initialize it; rejects with a `Fault` if it is not our server, else with the plain error. */
export async function connect(program: Program, { context, log, metered, died }: Listening) {
  const child = await spawned(program, log);
  const isOver = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const methods = { ...hostMethods(context), "workspace/configuration": configuration };
  const port = new Port(channelOf(child, isOver, log), () => undefined, methods);
  port.on("compactChat/meter", metered);
  port.on<{ message: string }>("window/logMessage", ({ message }) => log.info(message));
  const listener = vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration(SECTION)) {
      port.notify("workspace/didChangeConfiguration", { settings: { [SECTION]: settings() } });
    }
  });
  let isEnding = false;
  const end = async () => {
    isEnding = true;
    listener.dispose();
    port.stop(); // models that write stop first
    try {
      await inTime(port.request("shutdown", {}), END_MS);
      port.notify("exit", {});
      await inTime(isOver, END_MS);
    } catch {
      child.kill("SIGKILL"); // which does nothing to a process that is gone
    }
  };
  try {
    const introduced = port.request<Introduction>("initialize", introduction());
    const answer = await inTime(introduced, START_MS).catch(({ message }) => Promise.reject(new Error(message)));
    const version = fitting(program, answer);
    port.notify("initialized", {});
    void isOver.then(() => isEnding || died());
    return {
      version,
      ask: <Name extends keyof Operations>(name: Name, params: Operations[Name]["params"], asking: Watching) =>
        port.request<Operations[Name]["result"]>(`${SECTION}/${name}`, params, asking).catch((problem) => {
          throw faultOf(problem, name, log);
        }),
      end,
    };
  } catch (problem) {
    await end();
    throw problem;
  }
}

/** The messages over the pipes of a process; a setting has their methods, never their contents, in the log. */
function channelOf({ stdin, stdout }: ChildProcess, isOver: Promise<void>, log: vscode.LogOutputChannel): Channel {
  const [reader, writer] = [new StreamMessageReader(stdout as Readable), new StreamMessageWriter(stdin as Writable)];
  const traced = (
    way: string,
    message: { readonly id?: unknown; readonly method?: unknown; readonly jsonrpc?: string },
  ) => {
    if (vscode.workspace.getConfiguration(SECTION).get("trace.server") === "messages") {
      log.info(`${way} ${message.method ?? "answer"} ${message.id ?? ""}`);
    }
    return message;
  };
  return {
    send: (message) => void writer.write(traced("sent", message) as Message).catch(() => undefined), // the exit tells it
    listen: (heard, closed) => {
      reader.listen((message) => heard(traced("received", message)));
      void isOver.then(closed);
    },
  };
}

/** The process runs in the extension's own storage: never in the workspace. */
async function spawned({ command, args, cwd }: Program, log: vscode.LogOutputChannel): Promise<ChildProcess> {
  const child = spawn(command, args, { cwd, stdio: "pipe", windowsHide: true });
  createInterface({ input: child.stderr }).on("line", (line) => log.info(line));
  child.stdin.on("error", () => undefined); // the exit tells it
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  return child;
}

function introduction(): object {
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

/** The settings that have a value. */
function settings(): Readonly<Record<string, unknown>> {
  const read = vscode.workspace.getConfiguration(SECTION);
  const values = SETTINGS.map((name) => [name, read.get(name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null && value !== ""));
}

async function configuration({ items }: { items: { section?: string }[] }): Promise<unknown> {
  return items.map(({ section }) => (section === SECTION ? settings() : null));
}

/** An error of the server's own as it is; any other is logged without its text. */
function faultOf(problem: Fault, asked: string, log: vscode.LogOutputChannel): Fault {
  if (problem.kind === "closed") {
    return new Fault("serverFailed", t("The Compact Chat server stopped. It restarts with your next command."));
  }
  if (problem.data.kind !== undefined) {
    return problem;
  }
  log.error(`${asked} failed`);
  return new Fault("internal", t("The server could not be asked. See the log."));
}
