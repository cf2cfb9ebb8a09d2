/** The tooltip of the meter, at most six lines: which chat, how full, of what, how long it lasts, and what to do. */

import type { Parts, TokenReport } from "../wire";
import { count, type L10n, markdownLine, oneLine, toolName } from "../words";
import type { Reading } from "./reading";

export interface Shown {
  readonly report: TokenReport;
  readonly reading: Reading;
  /** Whether the user picked the chat, so that no other takes its place. */
  readonly isPicked: boolean;
  readonly versions: string;
  readonly l10n: L10n;
  readonly language: string;
}

/** The only commands that the tooltip may run. */
export const LINKED = [
  "compactChat.ui.continueNow",
  "compactChat.ui.compact",
  "compactChat.ui.pickChat",
  "compactChat.ui.measureNewest",
];
const [LONGEST_TITLE, LONGEST_WARNING, MOST_PARTS, BAR] = [60, 160, 4, 10];

/** Write the tooltip as Markdown; nothing that a chat says is markup in it. */
export function tooltip(shown: Shown): string {
  const { report, reading, l10n, language } = shown;
  const [used, of] = [short(reading.used, language), short(reading.of, language)];
  const [warning] = report.warnings;
  const lines = [
    `**${title(shown)}**${shown.isPicked ? ` · ${l10n.t("picked")}` : ""}`,
    `${bar(reading.percent)} ${reading.text} · ${l10n.t("{0} of {1} tokens", used, of)} · ${sureness(shown)}`,
    parts(shown),
    [limit(shown), turns(shown)].filter(Boolean).join(" · ") ||
      (warning ? markdownLine(warning.message, LONGEST_WARNING) : ""),
    links(shown),
    shown.versions,
  ];
  return lines.filter((line) => line !== "").join("  \n");
}

/** The meter for those who hear it. */
export function spoken({ report, reading, isPicked, l10n, language }: Shown): string {
  const name = oneLine(report.title ?? "", LONGEST_TITLE) || l10n.t("Untitled chat");
  const [used, of] = [count(reading.used, language), count(reading.of, language)];
  const picked = isPicked ? ` ${l10n.t("This chat was picked.")}` : "";
  return `${l10n.t("{0}: {1} of the context window, {2} of {3} tokens.", name, reading.text, used, of)}${picked}`;
}

/** A bar of so many parts: `▰▰▰▰▰▰▱▱▱▱`. */
export function bar(percent: number, length = BAR): string {
  const full = Math.min(length, Math.max(percent > 0 ? 1 : 0, Math.round((percent * length) / 100)));
  return "▰".repeat(full) + "▱".repeat(length - full);
}

/** A number of tokens at a glance: `840`, `6.2k`, `136k`, `1M`. */
export function short(tokens: number, language: string): string {
  const [unit, divisor] = tokens < 1000 ? ["", 1] : tokens < 999_500 ? ["k", 1000] : ["M", 1e6];
  const digits = tokens / divisor < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(tokens / divisor)}${unit}`;
}

function title({ report, l10n }: Shown): string {
  const name = report.title ? markdownLine(report.title, LONGEST_TITLE) : l10n.t("Untitled chat");
  const tool = toolName(report.tool);
  return tool === undefined ? name : `${name}** · **${tool}`;
}

function sureness({ report, l10n, language }: Shown): string {
  if (report.windowsPossible.length > 1) {
    const [small = "", large = ""] = report.windowsPossible.map((size) => short(size, language));
    return l10n.t("context window {0} or {1}", small, large);
  }
  return report.basis === "estimated" ? l10n.t("estimated") : l10n.t("measured");
}

function parts({ report, l10n, language }: Shown): string {
  const names: Readonly<Record<keyof Parts, string>> = {
    fixed: l10n.t("system and tools"),
    summary: l10n.t("earlier summary"),
    user: l10n.t("you"),
    assistant: l10n.t("answers"),
    toolCalls: l10n.t("tool calls"),
    toolResults: l10n.t("tool results"),
    thinking: l10n.t("thinking"),
    images: l10n.t("images"),
  };
  return (Object.entries(report.parts) as [keyof Parts, number][])
    .filter(([, tokens]) => tokens > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_PARTS)
    .map(([part, tokens]) => `${names[part]} ${short(tokens, language)}`)
    .join(" · ");
}

function limit({ report, l10n, language }: Shown): string {
  return report.limit ? l10n.t("auto-compacts at ≈{0}", short(report.limit.tokens, language)) : "";
}

function turns({ report: { turnsLeft }, l10n }: Shown): string {
  if (turnsLeft === null) {
    return "";
  }
  const { low, high } = turnsLeft;
  if (high <= 1) {
    return l10n.t("≈ 1 turn left");
  }
  return low === high ? l10n.t("≈ {0} turns left", low) : l10n.t("≈ {0} to {1} turns left", low, high);
}

function links({ isPicked, l10n }: Shown): string {
  const { t } = l10n;
  const offered = [
    ["continueNow", t("Compact and Continue")],
    ["compact", t("Compact Chat")],
    isPicked ? ["measureNewest", t("Follow Newest Chat")] : ["pickChat", t("Choose Chat…")],
  ];
  return offered.map(([name, label]) => `[${label}](command:compactChat.ui.${name})`).join(" · ");
}
