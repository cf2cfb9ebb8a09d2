/** The tool by which an agent measures or summarizes its own chat, and the question before a model gets it. */

import * as vscode from "vscode";
import { digits, modelName, PARTS } from "../../page/words";
import { Fault } from "../faults";
import type { House } from "../house";
import { reading } from "../meter/reading";
import { parts } from "../meter/status";
import { asId, sessionAt } from "../onward/sessions";
import { signalOf } from "../patience";
import { faultOf } from "../remedies";
import type { Improver } from "../server/models";
import type { ChatRef, Compaction, Preview, Thing, TokenReport } from "../wire";
import { count, label, markdownLine, oneLine, t, toolName } from "../words";

const NAME = "compact_chat";
const MOST = 6; // things of each kind
const [LONGEST_NAME, LONGEST_LINE] = [80, 120];
const ACTIONS = ["meter", "biggest", "summarize"] as const;
const AS_SAVED = "Counted as the chat was saved last; the newest steps of the turn under way may be missing.";

/** What an agent asks the tool for. */
interface Asked {
  readonly action: (typeof ACTIONS)[number];
  /** Has a model write the summary, which sends the chat to it. */
  readonly model: boolean;
}

export function provideTool(house: House): vscode.Disposable {
  const allowed = new Set<string>(); // models that the user agreed to; a model chosen since gets nothing
  return vscode.lm.registerTool(NAME, {
    prepareInvocation: ({ input, ...call }, token) => prepared(house, allowed, readAsked(input), call, signalOf(token)),
    invoke: async ({ input, toolInvocationToken }, token) => {
      const answered = answer(house, allowed, readAsked(input), toolInvocationToken, signalOf(token));
      const text = await answered.catch((problem) => faultOf(house, problem).message);
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

/** Never asks the user: no dialog can be seen during a tool call. */
async function answer(
  house: House,
  allowed: ReadonlySet<string>,
  asked: Asked | undefined,
  caller: unknown,
  signal: AbortSignal,
): Promise<string> {
  if (!asked) {
    return `Call this tool with an "action" out of ${ACTIONS.join(", ")}.`;
  }
  const asking = { signal, quietly: true };
  const chat = await calledFrom(house, caller, signal);
  if (asked.action === "summarize") {
    const improver = asked.model ? await house.models.improver() : undefined;
    const isAllowed = improver && allowed.has(JSON.stringify(improver));
    const { provider, options = {} } = isAllowed ? improver : { provider: "offline" as const };
    const writer = isAllowed ? { provider, userInitiated: true, options } : { provider };
    return summaryAnswer(await house.server.ask("summarize", { chat, ...writer }, asking));
  }
  return asked.action === "biggest"
    ? biggestAnswer(await house.server.ask("countTokens", { chat, biggest: MOST }, asking))
    : meterAnswer(await house.server.ask("countTokens", { chat }, asking));
}

/** Before a model gets the chat, the user is asked, with figures where the chat can be looked at. */
async function prepared(
  house: House,
  allowed: Set<string>,
  asked: Asked | undefined,
  call: object,
  signal: AbortSignal,
): Promise<vscode.PreparedToolInvocation> {
  const invocationMessage =
    asked?.action === "summarize" ? t("Summarizing this chat") : t("Measuring this chat's context");
  const improver = asked?.model ? await house.models.improver().catch(() => undefined) : undefined;
  if (!improver) {
    return { invocationMessage };
  }
  allowed.add(JSON.stringify(improver));
  // The editor passes the asking chat, though its types do not say so.
  const { chatSessionResource: sessionResource } = asObject(call);
  const { provider, options } = improver;
  const preview = await calledFrom(house, { sessionResource }, signal)
    .then((chat) => house.server.ask("preview", { chat, options, provider }, { signal, quietly: true }))
    .catch(() => undefined);
  return { invocationMessage, confirmationMessages: question(improver, preview) };
}

function question(improver: Improver, preview: Preview | undefined): vscode.LanguageModelToolConfirmationMessages {
  const { request, redactions } = preview ?? {};
  // Where Anthropic's model is the server's choice, the plan names it.
  const name = improver.provider === "anthropic" && request?.model ? modelName(request.model) : improver.label;
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

/** The chat that a call comes from; if the caller does not say, the newest of this window, else the one in use. */
async function calledFrom({ server, chats }: House, caller: unknown, signal: AbortSignal) {
  const { sessionResource, sessionId } = asObject(caller);
  const { inUse, ownFolder } = chats;
  if (sessionResource == null && sessionId == null) {
    const params = ownFolder && { roots: [ownFolder.toString()], limit: 1 };
    const [found] = params ? (await server.ask("sessions", params, { signal, quietly: true })).sessions : [];
    return expected(found ?? inUse);
  }
  const id = idIn(sessionResource, sessionId);
  const files = ownFolder ? [".jsonl", ".json"].map((end) => vscode.Uri.joinPath(ownFolder, `${id}${end}`)) : [];
  const seen = await Promise.allSettled(files.map((file) => vscode.workspace.fs.stat(file)));
  const file = files.find((_, place) => seen[place]?.status === "fulfilled");
  return expected(file && { uri: file.toString() });
}

function expected(chat: { readonly uri: string } | undefined): ChatRef {
  if (!chat) {
    const sentence = t("This chat is not saved yet. Try again after its first answer.");
    throw new Fault("chatNotFound", sentence);
  }
  return { uri: chat.uri };
}

/** Returns the session's id from the opaque value that the editor passes to a tool. A session of another kind has no id that leads to a file, and is never taken for another chat. */
function idIn(sessionResource: unknown, sessionId: unknown): string {
  const id = sessionResource == null ? asId(sessionId) : sessionAt(asObject(sessionResource));
  if (id === undefined) {
    throw new Fault("chatNotFound", t("This kind of chat cannot be read."));
  }
  return id;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** How full the context is, of what, how sure that is, and what is advised. */
export function meterAnswer(report: TokenReport): string {
  return [usage(report), `Of that: ${parts(report)}.`, `Advice: ${report.reason}`, AS_SAVED].join("\n");
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
  const [kept, items] = classes.reduce(([kept, items], one) => [kept + one.kept, items + one.total], [0, 0]);
  return [
    `Summarized ${writer}: ${sizes}; ${kept} of ${items} items that can be checked are kept.`,
    ...done.warnings.map(({ message }) => `Note: ${message}`),
    `${AS_SAVED} The user can open a new chat with this message by the command "Compact and Continue in New Chat":`,
    done.continuation,
  ].join("\n\n");
}

function usage(report: TokenReport): string {
  const { low, high, basis, title, tool, model, limit } = report;
  const { percent, used, of, isHosts } = reading(report);
  const name = title ? `${JSON.stringify(oneLine(title, LONGEST_LINE))} ` : "";
  const range = low === high || isHosts ? "" : `, between ${digits(low)} and ${digits(high)}`;
  return [
    `The context of the chat ${name}(${toolName(tool) ?? "of an unknown tool"}${model ? `, ${model}` : ""}) is `,
    `${percent}% full: ${digits(used)} of ${digits(of)} tokens${range} (${isHosts ? "VS Code's own figure" : basis}).`,
    limit ? ` It is auto-compacted at ${digits(limit.tokens)}.` : "",
  ].join("");
}

function list(title: string, things: readonly Thing[]): string {
  const named = things.filter(({ kind }) => kind !== "rest");
  return named.length === 0 ? "" : [`${title}:`, ...named.map(line)].join("\n");
}

function line({ kind, name, tokens, percent }: Thing): string {
  const text = kind === "fixed" ? new Map(PARTS).get(kind) : oneLine(name, LONGEST_LINE);
  return `- ${text}: ${digits(tokens)} tokens, ${percent}%`;
}
