/** The tool with which an agent asks about its own context, and what is asked before it sends a chat to a model. */

import * as vscode from "vscode";
import { modelName } from "../../page/words";
import { Fault, isCancelled } from "../faults";
import type { House } from "../house";
import { asId, sessionAt } from "../onward/sessions";
import { type Improver, plannedName } from "../server/models";
import type { ChatRef, Preview } from "../wire";
import { count, label, markdownLine } from "../words";
import { ACTIONS, biggestAnswer, meterAnswer, summaryAnswer, unclearAnswer } from "./answers";

const NAME = "compact_chat";
const MOST = 6; // things of each kind
const LONGEST_NAME = 80;

/** What an agent asks the tool for. */
interface Asked {
  readonly action: (typeof ACTIONS)[number];
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
      const text = await answer(house, allowed, options, token).catch((problem) => failure(house, problem));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  } satisfies vscode.LanguageModelTool<unknown>);
}

/** Reads the input of a call, which is whatever a model wrote; undefined where it names no action. */
export function readAsked(input: unknown): Asked | undefined {
  const { action, model } = asObject(input);
  const found = ACTIONS.find((one) => one === action);
  return found && { action: found, model: found === "summarize" && model === true };
}

/** Asks the server, and never the user: who would answer sees a chat that goes on, not a question. */
async function answer(
  house: House,
  allowed: AskedAbout,
  { input, toolInvocationToken }: vscode.LanguageModelToolInvocationOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<string> {
  const asked = readAsked(input);
  if (!asked) {
    return unclearAnswer();
  }
  const asking = { token, quietly: true };
  const chat = await calledFrom(house, toolInvocationToken, token);
  if (asked.action === "summarize") {
    const improver = asked.model ? await improverOf(house) : undefined;
    const isAllowed = improver && allowed.has(keyOf(improver));
    const { provider, options = {} } = isAllowed ? improver : { provider: "offline" as const };
    const writer = isAllowed ? { provider, userInitiated: true, options } : { provider };
    return summaryAnswer(await house.server.ask("summarize", { chat, ...writer }, asking));
  }
  return asked.action === "biggest"
    ? biggestAnswer(await house.server.ask("countTokens", { chat, biggest: MOST }, asking))
    : meterAnswer(await house.server.ask("countTokens", { chat }, asking));
}

/** A fault is reported in the answer, so that the agent's turn continues. */
function failure({ log }: House, problem: unknown): string {
  if (isCancelled(problem)) {
    return "This was stopped.";
  }
  if (problem instanceof Fault) {
    return problem.message;
  }
  log.error(`The tool of the agent failed: ${problem instanceof Error ? problem.name : typeof problem}`);
  return "Compact Chat failed to answer.";
}

/** Before a model gets the chat, the user is asked, with figures where the chat can be looked at. */
async function prepared(
  house: House,
  allowed: AskedAbout,
  options: vscode.LanguageModelToolInvocationPrepareOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<vscode.PreparedToolInvocation> {
  const { t } = vscode.l10n;
  const asked = readAsked(options.input);
  const invocationMessage =
    asked?.action === "summarize" ? t("Summarizing this chat") : t("Measuring this chat's context");
  const improver = asked?.model ? await improverOf(house).catch(() => undefined) : undefined;
  if (!improver) {
    return { invocationMessage };
  }
  allowed.add(keyOf(improver));
  // The editor passes the asking chat, though its types do not say so.
  const { chatSessionResource: sessionResource } = asObject(options);
  const preview = async () => {
    const chat = await calledFrom(house, { sessionResource }, token);
    const { provider, options } = improver;
    return house.server.ask("preview", { chat, options, provider }, { token, quietly: true });
  };
  return { invocationMessage, confirmationMessages: question(improver, await preview().catch(() => undefined)) };
}

function question(improver: Improver, preview: Preview | undefined): vscode.LanguageModelToolConfirmationMessages {
  const { t } = vscode.l10n;
  const { request, redactions } = preview ?? {};
  const name = plannedName(improver, preview);
  const [who, vendor] = [name, improver.vendor].map((one) => markdownLine(one, LONGEST_NAME)) as [string, string];
  const other = improver.options.fallbackModels?.find((model) => model !== request?.model);
  const lines = [
    request && redactions
      ? t(
          "About {0} tokens of this chat go to {1} ({2}), calls: {3}, masked secrets: {4}. That may cost money.",
          ...[count(request.inputTokens), who, vendor, request.calls, redactions.total],
        )
      : t("The text of this chat goes to {0} ({1}), with secrets masked. That may cost money.", who, vendor),
    other && t("If that model fails, {0} is used instead.", markdownLine(modelName(other), LONGEST_NAME)),
  ];
  return {
    title: t("Let {0} summarize this chat?", label(name, LONGEST_NAME)),
    message: new vscode.MarkdownString(lines.filter(Boolean).join("\n\n")),
  };
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

/** Gives the chat that a call comes from; of a caller that says nothing of it the newest of this window, else the one in use. */
async function calledFrom(house: House, caller: unknown, token: vscode.CancellationToken): Promise<ChatRef> {
  const { sessionResource, sessionId } = asObject(caller);
  const isSilent = (sessionResource ?? sessionId ?? undefined) === undefined;
  const found = isSilent ? await newest(house, token) : await saved(house, idIn(sessionResource, sessionId));
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

async function saved({ chats: { ownFolder } }: House, id: string): Promise<ChatRef | undefined> {
  for (const ending of ownFolder ? [".jsonl", ".json"] : []) {
    const file = vscode.Uri.joinPath(ownFolder as vscode.Uri, `${id}${ending}`);
    const seen = await vscode.workspace.fs.stat(file).then(Boolean, () => false);
    if (seen) {
      return { uri: file.toString() };
    }
  }
  return undefined;
}

async function newest({ server, chats }: House, token: vscode.CancellationToken): Promise<ChatRef | undefined> {
  const params = chats.ownFolder && { roots: [chats.ownFolder.toString()], limit: 1 };
  const [found] = params ? (await server.ask("sessions", params, { token, quietly: true })).sessions : [];
  return found ? { uri: found.uri } : chats.inUse?.ref;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
