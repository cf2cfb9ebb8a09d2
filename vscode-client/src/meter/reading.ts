/** What the meter shows of a report: one number, how certain it is, and how prominent. */

import type { TokenReport } from "../wire";
import { ringOf, type Share } from "./ring";

export type Level = "calm" | "warning" | "error";

export interface Reading {
  /** As it is written in the status bar: `63%`, `~41%`. */
  readonly text: string;
  readonly percent: number;
  readonly level: Level;
  /** The tokens that the number is a share of, and those of them that are used. */
  readonly used: number;
  readonly of: number;
  /** Whether VS Code's own meter shows the same. */
  readonly isHosts: boolean;
}

const WARNING_FROM = 75;
const ERROR_FROM = 90;

/** Shows VS Code's own chats as its ring does, unless that is empty, and others as a share of where their tool compacts. */
export function reading(report: TokenReport, version: string): Reading {
  const ring = ringOf(version, report);
  const isHosts = ring !== undefined && ring.percent > 0;
  const shown = isHosts ? ring : shareOf(report);
  const percent = Math.round(shown.percent);
  const isSure = isHosts || (report.basis !== "estimated" && !isOpen(report));
  return { ...shown, text: `${isSure ? "" : "~"}${percent}%`, percent, level: level(percent, report), isHosts };
}

/** Whether two context windows are possible, and nothing proves one. */
export function isOpen({ windowsPossible }: TokenReport): boolean {
  return windowsPossible.length > 1;
}

function shareOf({ used, limit, percentOfLimit, window, percent }: TokenReport): Share {
  return limit && percentOfLimit !== null
    ? { used, of: limit.tokens, percent: percentOfLimit }
    : { used, of: window, percent };
}

/** Nothing is calm that may be one turn from its end. */
function level(percent: number, { turnsLeft }: TokenReport): Level {
  if (percent >= ERROR_FROM) return "error";
  return percent >= WARNING_FROM || (turnsLeft !== null && turnsLeft.low <= 1) ? "warning" : "calm";
}
