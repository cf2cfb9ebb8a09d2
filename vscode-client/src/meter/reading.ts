/** What the meter shows of a report: one number, how certain it is, and how prominent. */

import type { TokenReport } from "../wire";

export type Level = "calm" | "warning" | "error";

/** Percentages from which the item is yellow and red. */
export interface Thresholds {
  readonly warning: number;
  readonly error: number;
}

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

export const USUAL: Thresholds = { warning: 75, error: 90 };
const FIRST_RING = [1, 109] as const;
const FIRST_WITHOUT_RESERVE = [1, 111] as const;

/** Show VS Code's own chats as its ring does, unless that is empty, and others as a share of where their tool compacts. */
export function reading(report: TokenReport, version: string, thresholds: Thresholds = USUAL): Reading {
  const ring = ringOf(version, report);
  const shown = ring?.percent ? ring : shareOf(report);
  const percent = Math.round(shown.percent);
  const isHosts = shown === ring;
  const isSure = isHosts || (report.basis !== "estimated" && report.windowsPossible.length < 2);
  const level = levelOf(percent, report, thresholds);
  return { ...shown, text: `${isSure ? "" : "~"}${percent}%`, percent, level, isHosts };
}

/** What VS Code's own ring shows; undefined for other tools' chats, and for versions without one. */
function ringOf(version: string, { tool, hostMeter }: TokenReport): Share | undefined {
  if (tool !== "vscode" || hostMeter === null || !isSince(version, FIRST_RING)) {
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

/** Nothing is calm that may be one turn from its end. */
function levelOf(percent: number, { turnsLeft }: TokenReport, { warning, error }: Thresholds): Level {
  if (percent >= error) {
    return "error";
  }
  return percent >= warning || (turnsLeft !== null && turnsLeft.low <= 1) ? "warning" : "calm";
}
