/** What the meter shows of a report: one number, how certain it is, and how prominent. */

import * as vscode from "vscode";
import type { TokenReport } from "../wire";

export type Level = "calm" | "warning" | "error";

export interface Reading {
  /** As it is written in the status bar: `63%`, `~41%`. */
  readonly text: string;
  readonly percent: number;
  readonly level: Level;
  /** The tokens that the number is a share of, and those of them that are used. */
  readonly used: number;
  readonly of: number;
  /** Whether it is VS Code's own number. */
  readonly isHosts: boolean;
}

/** VS Code's own chats match its ring unless that is empty; others are a share of the limit where their tool compacts. */
export function reading(report: TokenReport): Reading {
  const { tool, hostMeter, used, limit, percentOfLimit, window, basis, windowsPossible } = report;
  const ring = tool === "vscode" && hostMeter?.used ? hostMeter : undefined;
  const isOfLimit = limit !== null && percentOfLimit !== null;
  const share = isOfLimit ? { of: limit.tokens, percent: percentOfLimit } : { of: window, percent: report.percent };
  const shown = ring ? { used: ring.used, of: ring.total, percent: ring.usedPercent } : { used, ...share };
  const percent = Math.round(shown.percent);
  const isHosts = ring !== undefined;
  const isSure = isHosts || (basis !== "estimated" && windowsPossible.length < 2);
  return { ...shown, text: `${isSure ? "" : "~"}${percent}%`, percent, level: levelOf(percent, report), isHosts };
}

/** By the settings; a chat that may be full after one more turn is never calm. */
function levelOf(percent: number, { turnsLeft }: TokenReport): Level {
  const settings = vscode.workspace.getConfiguration("compactChat.meter");
  if (percent >= settings.get("errorAt", 90)) {
    return "error";
  }
  return percent >= settings.get("warningAt", 75) || (turnsLeft !== null && turnsLeft.low <= 1) ? "warning" : "calm";
}

/** A bar of so many parts: `▰▰▰▰▰▰▱▱▱▱`. */
export function bar(percent: number, length: number): string {
  const full = Math.min(length, Math.max(percent > 0 ? 1 : 0, Math.round((percent * length) / 100)));
  return "▰".repeat(full) + "▱".repeat(length - full);
}
