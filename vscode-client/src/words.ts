/** Words that several rooms need: tools, numbers, ages, and the text of chats made safe to show. */

import { env, l10n, type QuickPickItem, QuickPickItemKind } from "vscode";
import { digits } from "../page/words";
import { LABELS } from "./tools";

const CONTROLS = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const FROM_THE_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const [ISOLATE, END_OF_ISOLATE, JOINER] = ["\u2068", "\u2069", "\u2060"];
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const [SHORT_NAME, LONGEST_TITLE] = [8, 60];
const AGES = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

export const { t } = l10n;

/** A name of a part or class in the language of the editor; `write_l10n.mjs` takes these from the page's tables. */
export const named: (name: string) => string = t;

export function toolName(tool: string): string | undefined {
  return Object.hasOwn(LABELS, tool) ? LABELS[tool] : undefined;
}

/** The first word of a tool's name where the name is long: `Claude` for Claude Code; empty where no tool is known. */
export function shortToolName(tool: string): string {
  const name = toolName(tool) ?? "";
  return name.length > SHORT_NAME ? (name.split(" ")[0] ?? "") : name;
}

/** A number of tokens, characters or messages in the language of the editor: `1,240`. */
export function count(number: number): string {
  return digits(number, env.language);
}

/** How big a file is: `1.2 MB`. */
export function fileSize(bytes: number): string {
  const [unit, divisor] = bytes < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: divisor === 1e6 ? 1 : 0 } as const;
  return new Intl.NumberFormat(env.language, format).format(Math.max(bytes / divisor, bytes > 0 ? 1e3 / divisor : 0));
}

/** How long ago something was: `5 minutes ago`. */
export function ago(then: Date): string {
  const seconds = Math.max(0, (Date.now() - then.getTime()) / 1000);
  const [unit, length] = AGES.find(([, least]) => seconds >= least) ?? (["second", 1] as const);
  const passed = unit === "second" ? 0 : Math.floor(seconds / length);
  return new Intl.RelativeTimeFormat(env.language, { numeric: "auto" }).format(-passed, unit);
}

/** Text of a chat on one line of limited length, without control characters. */
export function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, most * 8)
    .replace(CONTROLS, " ")
    .replace(/\s+/gu, " ")
    .trim();
  const signs = [...line];
  const cut = signs.slice(0, most - 1).join("");
  return signs.length > most ? `${cut.trimEnd()}…` : line;
}

/** One line of a chat for a label: isolated if written from the right, and without icons. */
export function label(text: string, most: number): string {
  const line = oneLine(text, most).replaceAll("$(", `$${JOINER}(`);
  return FROM_THE_RIGHT.test(line) ? `${ISOLATE}${line}${END_OF_ISOLATE}` : line;
}

export function chatTitle(title: string | null, most = LONGEST_TITLE): string {
  return label(title ?? "", most) || t("Untitled chat");
}

/** A line between rows of a list. */
export function separator(label = ""): QuickPickItem {
  return { label, kind: QuickPickItemKind.Separator };
}

/** Text for a notification, without links. */
export function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}

/** One line of a chat for Markdown: nothing in it is markup. */
export function markdownLine(text: string, most: number): string {
  return label(text, most).replace(PUNCTUATION, "\\$&");
}
