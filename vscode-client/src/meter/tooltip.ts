/** The tooltip of the meter: which chat, how full and how sure, of what, and what compacting would win. */

import type { Parts, TokenReport } from "../wire";
import { count, type L10n, markdownLine, oneLine, share, toolName } from "../words";
import { isOpen, type Reading } from "./reading";

export interface Told {
  readonly report: TokenReport;
  readonly reading: Reading;
  /** Whether the user picked the chat, so that no other takes its place. */
  readonly isPicked: boolean;
  /** The tokens that compacting would leave, where they are known. */
  readonly after: number | undefined;
  readonly l10n: L10n;
  readonly language: string;
}

const FOOT = ["compact", "pickChat", "history"].map((name) => `compactChat.ui.${name}`);
const NEWEST = "compactChat.ui.measureNewest";
/** The only commands that the tooltip may run. */
export const LINKED = [...FOOT, NEWEST];

const LONGEST_TITLE = 60;
const LONGEST_WARNING = 200;
const MOST_WARNINGS = 2;
const WORTH_TELLING = 0.01;

/** The tooltip as Markdown; nothing that a chat says is markup in it. */
export function tooltip(told: Told): string {
  const { report } = told;
  const paragraphs = [
    `**${title(told)}**`,
    picked(told),
    [used(told), range(told)].filter(Boolean).join(" "),
    [limit(told), turns(told)].filter(Boolean).join(" "),
    [sureness(told), windowKnown(told)].join(" "),
    compacted(told),
    table(told),
    winning(told),
    advice(told),
    ...report.warnings.slice(0, MOST_WARNINGS).map(({ message }) => markdownLine(message, LONGEST_WARNING)),
    links(told),
  ];
  return paragraphs.filter((one) => one !== "").join("\n\n");
}

/** The meter for those who hear it. */
export function spoken(told: Told): string {
  return told.isPicked ? `${fullness(told)} ${stays(told)}` : fullness(told);
}

function fullness({ report, reading, l10n, language }: Told): string {
  const name = oneLine(report.title ?? "", LONGEST_TITLE) || l10n.t("chat without a title");
  const about = report.basis === "estimated" ? l10n.t("about {0}", reading.percent) : String(reading.percent);
  const [used, of] = [count(reading.used, language), count(reading.of, language)];
  return l10n.t("The context of “{0}” is {1} percent full: {2} of {3} tokens.", name, about, used, of);
}

function title({ report, l10n }: Told): string {
  const name = report.title ? markdownLine(report.title, LONGEST_TITLE) : l10n.t("Chat without a title");
  const tool = toolName(report.tool);
  return tool === undefined ? name : `${name}** · **${tool}`;
}

/** A pick outlasts the window, and is easily forgotten. */
function picked(told: Told): string {
  const back = told.l10n.t("Measure the Most Recently Active Chat");
  return told.isPicked ? `${stays(told)} [${back}](command:${NEWEST})` : "";
}

function stays({ l10n }: Told): string {
  return l10n.t("You picked this chat, so the meter stays with it.");
}

function used({ reading, l10n, language }: Told): string {
  const [part, whole] = [count(reading.used, language), count(reading.of, language)];
  const sentence = l10n.t("{0} of {1} tokens are used: {2}.", part, whole, share((100 * reading.used) / reading.of));
  return reading.isHosts ? `${sentence} ${l10n.t("VS Code’s own meter shows the same.")}` : sentence;
}

function range({ report, reading, l10n, language }: Told): string {
  const { low, high } = report;
  if (reading.isHosts || high - low < WORTH_TELLING * reading.of) return "";
  return l10n.t("It lies between {0} and {1}.", count(low, language), count(high, language));
}

function limit({ report, l10n, language }: Told): string {
  if (report.limit === null) return "";
  const tool = toolName(report.tool) ?? l10n.t("The tool");
  return l10n.t("{0} auto-compacts at {1} tokens.", tool, count(report.limit.tokens, language));
}

function turns({ report: { turnsLeft }, l10n, language }: Told): string {
  if (turnsLeft === null) return "";
  if (turnsLeft.low <= 1) return l10n.t("One more turn may fill it.");
  const [low, high] = [count(turnsLeft.low, language), count(turnsLeft.high, language)];
  return low === high
    ? l10n.t("About {0} turns are left.", low)
    : l10n.t("About {0} to {1} turns are left.", low, high);
}

function compacted({ report, l10n, language }: Told): string {
  const { total, lastBefore, lastAfter } = report.compactions;
  if (total === 0) return "";
  const tool = toolName(report.tool) ?? l10n.t("The tool");
  const often =
    total === 1
      ? l10n.t("{0} has compacted this chat once.", tool)
      : l10n.t("{0} has compacted this chat {1} times.", tool, total);
  if (lastBefore === null || lastAfter === null) return often;
  const [before, after] = [count(lastBefore, language), count(lastAfter, language)];
  return `${often} ${l10n.t("The last time, {0} tokens became {1}.", before, after)}`;
}

function sureness({ report, l10n }: Told): string {
  switch (report.basis) {
    case "measured":
      return l10n.t("The provider measured this.");
    case "anchored":
      return l10n.t("The provider measured most of this; the rest is counted.");
    case "estimated":
      return l10n.t("This is counted here; what the tool adds unseen is estimated.");
  }
}

function windowKnown({ report, l10n, language }: Told): string {
  if (isOpen(report)) {
    const [small = "", large = ""] = report.windowsPossible.map((size) => count(size, language));
    return l10n.t(
      "The context window has {0} or {1} tokens: nothing tells which, so the smaller counts.",
      small,
      large,
    );
  }
  switch (report.windowBasis) {
    case "setting":
      return l10n.t("The window’s size is the one in your settings.");
    case "chat":
      return l10n.t("The window’s size is what the chat says.");
    case "table":
      return l10n.t("The window’s size is what is known of the model.");
    case "default":
      return l10n.t("The window’s size is a guess, since the model is not known.");
  }
}

function table({ report, l10n, language }: Told): string {
  const rows = (Object.entries(partNames(l10n)) as [keyof Parts, string][])
    .map(([part, name]) => ({ name, tokens: report.parts[part] }))
    .filter(({ tokens }) => tokens > 0)
    .sort((one, other) => other.tokens - one.tokens)
    .map(({ name, tokens }) => `| ${name} | ${count(tokens, language)} | ${share((100 * tokens) / report.used)} |`);
  if (rows.length === 0) return "";
  return [`| ${l10n.t("Part")} | ${l10n.t("Tokens")} | ${l10n.t("Share")} |`, "|:--|--:|--:|", ...rows].join("\n");
}

function partNames(l10n: L10n): Readonly<Record<keyof Parts, string>> {
  return {
    fixed: l10n.t("System prompt and tools"),
    summary: l10n.t("Earlier summary"),
    user: l10n.t("Your messages"),
    assistant: l10n.t("Answers"),
    toolCalls: l10n.t("Tool calls"),
    toolResults: l10n.t("Tool results"),
    thinking: l10n.t("Thinking"),
    images: l10n.t("Images"),
  };
}

function winning({ reading, after, l10n }: Told): string {
  return after === undefined ? "" : l10n.t("Compacting would leave about {0}.", share((100 * after) / reading.of));
}

function advice({ report, l10n }: Told): string {
  if (report.advice === "compact") return l10n.t("It is time to compact.");
  return report.advice === "prune" ? l10n.t("Old tool results could be cut to make room.") : "";
}

function links({ l10n }: Told): string {
  const names = [l10n.t("Compact Chat"), l10n.t("Choose Chat…"), l10n.t("History")];
  return FOOT.map((command, index) => `[${names[index]}](command:${command})`).join(" · ");
}
