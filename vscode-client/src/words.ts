/** Words that several rooms need: tools, models, numbers, ages, and the text of chats made safe to show. */

import type { Translate } from "./faults";
import type { Improver } from "./house";
import { LABELS } from "./tools";
import type { Preview } from "./wire";

/** What `vscode.l10n` gives, for modules that know nothing of the editor. */
export interface L10n {
  readonly t: Translate;
}

const CONTROLS = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const FROM_THE_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const [ISOLATE, END_OF_ISOLATE, JOINER] = ["\u2068", "\u2069", "\u2060"];
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const SHORT_NAME = 8;
const formats = new Map<string, Intl.NumberFormat>();
const AGES = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** The name of a tool as its users write it; undefined where no tool is known. */
export function toolName(tool: string): string | undefined {
  return Object.hasOwn(LABELS, tool) ? LABELS[tool] : undefined;
}

/** The first word of a tool's name where the name is long: `Claude` for Claude Code; empty where no tool is known. */
export function shortToolName(tool: string): string {
  const name = toolName(tool) ?? "";
  return name.length > SHORT_NAME ? (name.split(" ")[0] ?? "") : name;
}

/** Names a model of Anthropic's: `claude-haiku-5-5` is Claude Haiku 5.5; the empty name is the one that the server chooses. */
export function anthropicName(model: string): string {
  if (model === "") {
    return "Claude";
  }
  const [, family, version] = /^claude-([a-z]+)((?:-\d{1,2})*)(?:-\d{8})?$/.exec(model) ?? [];
  if (family === undefined) {
    return model;
  }
  const number = (version ?? "").slice(1).replace(/-/g, ".");
  return `Claude ${family.charAt(0).toUpperCase()}${family.slice(1)}${number && ` ${number}`}`;
}

/** Names the model that a plan is for, also where the server chose it. */
export function plannedName({ provider, label }: Improver, plan: Preview | undefined): string {
  const model = plan?.request?.model;
  return provider === "anthropic" && model ? anthropicName(model) : label;
}

/** Names the model that is asked where the planned one fails; undefined where none is. */
export function standInName({ options }: Improver, plan: Preview | undefined): string | undefined {
  const first = plan?.request?.model ?? options.summaryModel;
  const other = options.fallbackModels?.find((model) => model !== first);
  return other === undefined ? undefined : anthropicName(other);
}

/** A number of tokens, characters or messages: `1,240`. Making a format takes longer than all rows of a list. */
export function count(number: number, language = "en"): string {
  const format = formats.get(language) ?? new Intl.NumberFormat(language);
  formats.set(language, format);
  return format.format(number);
}

/** A share without decimals; anything above nothing is never shown as zero. */
export function share(percent: number): string {
  return percent > 0 && percent < 0.5 ? "<1%" : `${Math.round(percent)}%`;
}

/** How big a file is: `1.2 MB`. */
export function fileSize(bytes: number, language = "en"): string {
  const [unit, divisor] = bytes < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: divisor === 1e6 ? 1 : 0 } as const;
  return new Intl.NumberFormat(language, format).format(Math.max(bytes / divisor, bytes > 0 ? 1e3 / divisor : 0));
}

/** How long ago something was: `5 minutes ago`. */
export function ago(then: Date, now: Date, language = "en"): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000);
  const [unit, length] = AGES.find(([, least]) => seconds >= least) ?? (["second", 1] as const);
  const passed = unit === "second" ? 0 : Math.floor(seconds / length);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-passed, unit);
}

/** Text of a chat on one line of at most so many characters, without signs that steer a screen. */
export function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, most * 8)
    .replace(CONTROLS, " ")
    .replace(/\s+/gu, " ")
    .trim();
  const signs = [...line];
  return signs.length > most
    ? `${signs
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

/** One line of a chat for a label: it stays what it is, whichever way it runs, and shows no icon of its own. */
export function label(text: string, most: number): string {
  const line = oneLine(text, most).replaceAll("$(", `$${JOINER}(`);
  return FROM_THE_RIGHT.test(line) ? `${ISOLATE}${line}${END_OF_ISOLATE}` : line;
}

/** Text for a notification, which makes a link of `[text](address)`. */
export function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}

/** One line of a chat for Markdown: nothing in it is markup. */
export function markdownLine(text: string, most: number): string {
  return label(text, most).replace(PUNCTUATION, "\\$&");
}
