/** The tool's answers: short texts in English, for a model to read. */

import { digits as count } from "../../page/words";
import { reading } from "../meter/reading";
import type { Compaction, Parts, Thing, TokenReport } from "../wire";
import { oneLine, toolName } from "../words";

export const ACTIONS = ["meter", "biggest", "summarize"] as const;

const LONGEST_NAME = 120;
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
  const sizes = `${count(done.before)} tokens became ${count(done.after)}`;
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
  const name = title ? `${JSON.stringify(oneLine(title, LONGEST_NAME))} ` : "";
  const range = low === high || isHosts ? "" : `, between ${count(low)} and ${count(high)}`;
  const source = isHosts ? "as VS Code's own meter shows" : BASES[basis];
  return [
    `The context of the chat ${name}(${toolName(tool) ?? "of an unknown tool"}${model ? `, ${model}` : ""}) is `,
    `${percent}% full: ${count(used)} of ${count(of)} tokens${range} (${source}).`,
    limit ? ` It is auto-compacted at ${count(limit.tokens)}.` : "",
  ].join("");
}

function parts(report: TokenReport): string {
  const named = (Object.keys(PARTS) as (keyof Parts)[])
    .filter((part) => report.parts[part] > 0)
    .sort((one, other) => report.parts[other] - report.parts[one])
    .map((part) => `${PARTS[part]} ${count(report.parts[part])}`);
  return `Of that: ${named.join(", ") || "nothing"}.`;
}

function list(title: string, things: readonly Thing[]): string {
  const named = things.filter(({ kind }) => kind !== "rest");
  return named.length === 0 ? "" : [`${title}:`, ...named.map(line)].join("\n");
}

function line({ kind, name, tokens, percent }: Thing): string {
  const text = kind === "fixed" ? PARTS.fixed : oneLine(name, LONGEST_NAME);
  return `- ${text}: ${count(tokens)} tokens, ${percent}%`;
}
