/** The tool with which an agent asks about its own context, and what is asked before it sends a chat to a model. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "../faults";
import type { House, Improver } from "../house";
import { asId, sessionAt } from "../onward/sessions";
import type { ChatRef, Preview } from "../wire";
import { count, label, markdownLine, plannedName, standInName } from "../words";
import { ACTIONS, biggestAnswer, meterAnswer, summaryAnswer, unclearAnswer } from "./answers";

const NAME = "compact_chat";
const MOST = 6; // things of each kind
const LONGEST_NAME = 80;

type Action = (typeof ACTIONS)[number];

/** What an agent asks the tool for. */
interface Asked {
  readonly action: Action;
  /** Has a model write the summary, which sends the chat to it. */
  readonly model: boolean;
}

/** The models that the user was asked about; one that came up since then gets nothing. */
type AskedAbout = Set<string>;

export function provideTool(house: House): vscode.Disposable {
  const allowed: AskedAbout = new Set();
  return vscode.lm.registerTool(NAME, {
    prepareInvocation: (options, token) => prepared(house, allowed, options, token),
    invoke: async (options, token) => {
      const text = await answer(house, allowed, options, token);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  } satisfies vscode.LanguageModelTool<unknown>);
}

/** A fault is reported in the answer, so that the agent's turn continues. */
async function answer(
  house: House,
  allowed: AskedAbout,
  options: vscode.LanguageModelToolInvocationOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<string> {
  const asked = readAsked(options.input);
  if (!asked) {
    return unclearAnswer();
  }
  try {
    const chat = await calledFrom(house, options.toolInvocationToken, token);
    const improver = asked.model ? await improverOf(house) : undefined;
    return await act(house, chat, asked, improver && allowed.has(keyOf(improver)) ? improver : undefined, token);
  } catch (problem) {
    return failure(house, problem);
  }
}

function failure(house: House, problem: unknown): string {
  if (isCancelled(problem)) {
    return "This was stopped.";
  }
  if (problem instanceof Fault) {
    return problem.message;
  }
  house.log.error(`The tool of the agent failed: ${problem instanceof Error ? problem.name : typeof problem}`);
  return "Compact Chat failed to answer.";
}

async function prepared(
  house: House,
  allowed: AskedAbout,
  options: vscode.LanguageModelToolInvocationPrepareOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<vscode.PreparedToolInvocation> {
  const asked = readAsked(options.input);
  const improver = asked?.model ? await improverOf(house).catch(() => undefined) : undefined;
  if (!improver) {
    return { invocationMessage: doing(asked) };
  }
  allowed.add(keyOf(improver));
  const confirmationMessages = await sendingQuestion(
    house,
    improver,
    () => calledFrom(house, callerOf(options), token),
    token,
  );
  return { invocationMessage: doing(asked), confirmationMessages };
}

/** The question, with figures where the chat can be looked at beforehand. */
async function sendingQuestion(
  house: House,
  improver: Improver,
  chat: () => Promise<ChatRef>,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolConfirmationMessages> {
  const preview = await previewOf(house, improver, chat, token).catch(() => undefined);
  const name = plannedName(improver, preview);
  const lines = [message({ ...improver, label: name }, preview), standInLine(improver, preview)];
  return {
    title: vscode.l10n.t("Let {0} summarize this chat?", label(name, LONGEST_NAME)),
    message: new vscode.MarkdownString(lines.filter(Boolean).join("\n\n")),
  };
}

function message(improver: Improver, preview: Preview | undefined): string {
  const receiver = [markdownLine(improver.label, LONGEST_NAME), markdownLine(improver.vendor, LONGEST_NAME)] as const;
  const request = preview?.request;
  if (!preview || !request) {
    return vscode.l10n.t(
      "The text of this chat goes to {0} ({1}), with secrets masked. That may cost money.",
      ...receiver,
    );
  }
  const figures = [
    count(request.inputTokens, vscode.env.language),
    ...receiver,
    request.calls,
    preview.redactions.total,
  ];
  return vscode.l10n.t(
    "About {0} tokens of this chat go to {1} ({2}), calls: {3}, masked secrets: {4}. That may cost money.",
    ...figures,
  );
}

function standInLine(improver: Improver, preview: Preview | undefined): string {
  const name = standInName(improver, preview);
  return name ? vscode.l10n.t("If that model fails, {0} is used instead.", markdownLine(name, LONGEST_NAME)) : "";
}

async function previewOf(
  house: House,
  improver: Improver,
  chatOf: () => Promise<ChatRef>,
  token: vscode.CancellationToken,
): Promise<Preview> {
  const chat = await chatOf();
  const { provider, options } = improver;
  return house.server.ask("preview", { chat, options, provider }, { token, quietly: true });
}

/** Who would write: no one if that cannot be determined, but a missing model is reported. */
async function improverOf({ models }: House): Promise<Improver | undefined> {
  try {
    return await models.improver();
  } catch (problem) {
    if (problem instanceof Fault && problem.kind === "modelMissing") {
      throw problem;
    }
    return undefined;
  }
}

function keyOf(improver: Improver): string {
  return JSON.stringify(improver);
}

function doing(asked: Asked | undefined): string {
  return asked?.action === "summarize"
    ? vscode.l10n.t("Summarizing this chat")
    : vscode.l10n.t("Measuring this chat's context");
}

/** The editor passes the asking chat, though its types do not say so. */
function callerOf(options: object): unknown {
  return { sessionResource: "chatSessionResource" in options ? options.chatSessionResource : undefined };
}

/** Reads the input of a call, which is whatever a model wrote; undefined where it names no action. */
export function readAsked(input: unknown): Asked | undefined {
  const { action, model } = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const found = ACTIONS.find((one) => one === action);
  return found && { action: found, model: found === "summarize" && model === true };
}

/** Asks the server, and never the user: who would answer sees a chat that goes on, not a question. */
async function act(
  house: House,
  chat: ChatRef,
  { action }: Asked,
  improver: Improver | undefined,
  token: vscode.CancellationToken,
): Promise<string> {
  const asking = { token, quietly: true };
  switch (action) {
    case "meter":
      return meterAnswer(await house.server.ask("countTokens", { chat }, asking), vscode.version);
    case "biggest":
      return biggestAnswer(await house.server.ask("countTokens", { chat, biggest: MOST }, asking), vscode.version);
    case "summarize":
      return summaryAnswer(await house.server.ask("summarize", { chat, ...writer(improver) }, asking));
  }
}

/** Who writes the summary; no model is called unless the user allowed it. */
function writer(improver: Improver | undefined) {
  if (!improver) {
    return { provider: "offline" } as const;
  }
  const { provider, options } = improver;
  return { provider, userInitiated: true, options };
}

/** Gives the chat that a call comes from; of a caller that says nothing of it the newest of this window, else the one in use. */
export async function calledFrom(house: House, token: unknown, cancelled: vscode.CancellationToken): Promise<ChatRef> {
  const { sessionResource, sessionId } = asObject(token);
  const isSilent = (sessionResource ?? sessionId ?? undefined) === undefined;
  const found = isSilent ? await newest(house, cancelled) : await saved(house, idIn(sessionResource, sessionId));
  if (!found) {
    throw new Fault(
      "chatNotFound",
      vscode.l10n.t("This chat is not saved yet; the editor does that after the first answer, so ask again then."),
    );
  }
  return found;
}

/** Returns the session's id from the opaque value that the editor passes to a tool. A session of another kind has no id that leads to a file, and is never taken for another chat. */
function idIn(sessionResource: unknown, sessionId: unknown): string {
  const { scheme, authority, path } = asObject(sessionResource);
  const isAddress = typeof scheme === "string" && typeof authority === "string" && typeof path === "string";
  const id = isAddress ? sessionAt({ scheme, authority, path }) : asId(sessionId);
  if (id === undefined) {
    throw new Fault("chatNotFound", vscode.l10n.t("This chat is of a kind that cannot be read from here."));
  }
  return id;
}

async function saved(house: House, sessionId: string): Promise<ChatRef | undefined> {
  const folder = house.chats.ownFolder;
  for (const ending of folder ? [".jsonl", ".json"] : []) {
    const file = vscode.Uri.joinPath(folder as vscode.Uri, `${sessionId}${ending}`);
    const found = await vscode.workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
    if (found) {
      return { uri: file.toString() };
    }
  }
  return undefined;
}

async function newest(house: House, token: vscode.CancellationToken): Promise<ChatRef | undefined> {
  const folder = house.chats.ownFolder;
  if (!folder) {
    return house.chats.inUse?.ref;
  }
  const params = { roots: [folder.toString()], limit: 1 };
  const { sessions } = await house.server.ask("sessions", params, { token, quietly: true });
  return sessions[0] ? { uri: sessions[0].uri } : house.chats.inUse?.ref;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
