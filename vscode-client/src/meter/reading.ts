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

const FIRST_RING = [1, 109] as const;
const FIRST_WITHOUT_RESERVE = [1, 111] as const;

/** VS Code's own chats match its ring unless that is empty; others are a share of the limit where their tool compacts. */
export function reading(report: TokenReport, version = vscode.version): Reading {
  const ring = ringOf(report, version);
  const isHosts = ring !== undefined;
  const shown = ring ?? shareOf(report);
  const percent = Math.round(shown.percent);
  const isSure = isHosts || (report.basis !== "estimated" && report.windowsPossible.length < 2);
  return { ...shown, text: `${isSure ? "" : "~"}${percent}%`, percent, level: levelOf(percent, report), isHosts };
}

/** What this version's own ring shows; undefined for an empty ring, for other tools' chats, and before the ring. */
function ringOf({ tool, hostMeter }: TokenReport, version: string): Share | undefined {
  if (tool !== "vscode" || !hostMeter?.used || !isSince(version, FIRST_RING)) {
    return undefined;
  }
  const { used, reserved, total, percent, usedPercent } = hostMeter;
  return isSince(version, FIRST_WITHOUT_RESERVE)
    ? { percent: usedPercent, used, of: total }
    : { percent, used: used + reserved, of: total };
}

function isSince(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, lesser = 0] = version.split(".").map(Number);
  return ours > major || (ours === major && lesser >= minor);
}

function shareOf({ used, limit, percentOfLimit, window, percent }: TokenReport): Share {
  return limit && percentOfLimit !== null
    ? { used, of: limit.tokens, percent: percentOfLimit }
    : { used, of: window, percent };
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
