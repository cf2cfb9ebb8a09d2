/** The tool with which an agent asks about its own context: its answers, and what is asked before it sends a chat to a model. */

import * as vscode from "vscode";
import { digits, modelName } from "../../page/words";
import { Fault, isCancelled } from "../faults";
import type { House } from "../house";
import { reading } from "../meter/reading";
import { asId, sessionAt } from "../onward/sessions";
import { type Improver, plannedName } from "../server/models";
import type { ChatRef, Compaction, Parts, Preview, Thing, TokenReport } from "../wire";
import { count, label, markdownLine, oneLine, toolName } from "../words";

const NAME = "compact_chat";
const MOST = 6; // things of each kind
const LONGEST_NAME = 80;
const ACTIONS = ["meter", "biggest", "summarize"] as const;

const LONGEST_LINE = 120;
const AS_SAVED = "Counted as the chat was saved last; the newest steps of the turn under way may be missing.";

const BASES: Record<TokenReport["basis"], string> = {
  measured: "the provider's own figure",
  anchored: "the provider's figure for most of it, the rest counted",
  estimated: "counted, without a figure of the provider's",
};

const PARTS: Record<keyof Parts, string> = {
  fixed: "system prompt and tools",
  summary: "summary of earlier turns",
  user: "user's messages",
  assistant: "replies",
  toolCalls: "tool calls",
  toolResults: "tool results",
  thinking: "thinking",
  images: "images",
};

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

/** How full the context is, of what, how sure that is, and what is advised. */
export function meterAnswer(report: TokenReport): string {
  return [usage(report), parts(report), `Advice: ${report.reason}`, AS_SAVED].join("\n");
}

/** What takes the most room, by message, tool and file. */
export function biggestAnswer(report: TokenReport): string {
  const { messages = [], tools = [], files = [] } = report.breakdown ?? {};
  const lists = [list("By message", messages), list("By tool", tools), list("By file", files)];
  return [usage(report), ...lists, AS_SAVED].filter(Boolean).join("\n\n");
}

/** The summary as the message that would open a new chat. */
export function summaryAnswer(done: Compaction): string {
  const writer = done.provider === "offline" ? "without a model, on this machine" : `by ${done.model ?? done.provider}`;
  const sizes = `${digits(done.before)} tokens became ${digits(done.after)}`;
  const classes = done.survival.classes.filter(({ name }) => name !== "omissions");
  const kept = classes.reduce((sum, one) => sum + one.kept, 0);
  const items = classes.reduce((sum, one) => sum + one.total, 0);
  return [
    `Summarized ${writer}: ${sizes}; ${kept} of ${items} items that can be checked are kept.`,
    ...done.warnings.map(({ message }) => `Note: ${message}`),
    `${AS_SAVED} The user can open a new chat with this message by the command "Compact and Continue in New Chat":`,
    done.continuation,
  ].join("\n\n");
}

export function unclearAnswer(): string {
  return `Call this tool with an "action" out of ${ACTIONS.map((action) => `"${action}"`).join(", ")}.`;
}

function usage(report: TokenReport): string {
  const { low, high, basis, title, tool, model, limit } = report;
  const { percent, used, of, isHosts } = reading(report);
  const name = title ? `${JSON.stringify(oneLine(title, LONGEST_LINE))} ` : "";
  const range = low === high || isHosts ? "" : `, between ${digits(low)} and ${digits(high)}`;
  const source = isHosts ? "as VS Code's own meter shows" : BASES[basis];
  return [
    `The context of the chat ${name}(${toolName(tool) ?? "of an unknown tool"}${model ? `, ${model}` : ""}) is `,
    `${percent}% full: ${digits(used)} of ${digits(of)} tokens${range} (${source}).`,
    limit ? ` It is auto-compacted at ${digits(limit.tokens)}.` : "",
  ].join("");
}

function parts(report: TokenReport): string {
  const named = (Object.keys(PARTS) as (keyof Parts)[])
    .filter((part) => report.parts[part] > 0)
    .sort((one, other) => report.parts[other] - report.parts[one])
    .map((part) => `${PARTS[part]} ${digits(report.parts[part])}`);
  return `Of that: ${named.join(", ") || "nothing"}.`;
}

function list(title: string, things: readonly Thing[]): string {
  const named = things.filter(({ kind }) => kind !== "rest");
  return named.length === 0 ? "" : [`${title}:`, ...named.map(line)].join("\n");
}

function line({ kind, name, tokens, percent }: Thing): string {
  const text = kind === "fixed" ? PARTS.fixed : oneLine(name, LONGEST_LINE);
  return `- ${text}: ${digits(tokens)} tokens, ${percent}%`;
}
