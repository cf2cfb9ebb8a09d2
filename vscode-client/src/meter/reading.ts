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

type Share = Pick<Reading, "percent" | "used" | "of">;

/** Show VS Code's own chats as its ring does, unless that is empty, and others as a share of where their tool compacts. */
export function reading(report: TokenReport): Reading {
  const { tool, hostMeter: ring } = report;
  const isHosts = tool === "vscode" && ring !== null && ring.used > 0;
  const shown: Share = isHosts ? { percent: ring.usedPercent, used: ring.used, of: ring.total } : shareOf(report);
  const percent = Math.round(shown.percent);
  const isSure = isHosts || (report.basis !== "estimated" && report.windowsPossible.length < 2);
  return { ...shown, text: `${isSure ? "" : "~"}${percent}%`, percent, level: levelOf(percent, report), isHosts };
}

function shareOf({ used, limit, percentOfLimit, window, percent }: TokenReport): Share {
  return limit && percentOfLimit !== null
    ? { used, of: limit.tokens, percent: percentOfLimit }
    : { used, of: window, percent };
}

/** By the percentages of the settings; nothing is calm that may be one turn from its end. */
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
