/** What the meter shows of a report: one number, how certain it is, and how prominent. */

import type { TokenReport } from "../wire";
import { ringPercent } from "./ring";

export type Level = "calm" | "warning" | "error";

export interface Reading {
  /** As it is written in the status bar: `63%`, `~41%`. */
  readonly text: string;
  readonly percent: number;
  readonly level: Level;
  /** What VS Code's ring shows, where that is more than a point away from what is true. */
  readonly otherRing: number | undefined;
}

const WARNING_FROM = 75;
const ERROR_FROM = 90;
const POINT = 1;

/** Shows VS Code's own chats as its ring does, unless that knows nothing. The number that is seen decides the level. */
export function reading(report: TokenReport, version: string): Reading {
  const ring = ringPercent(version, report);
  const isRings = ring !== undefined && ring > 0;
  const percent = Math.round(isRings ? ring : report.percent);
  const isSure = isRings || report.basis !== "estimated";
  const differs = ring !== undefined && Math.abs(ring - report.percent) > POINT;
  return {
    text: `${isSure ? "" : "~"}${percent}%`,
    percent,
    level: level(percent),
    otherRing: differs ? ring : undefined,
  };
}

function level(percent: number): Level {
  if (percent >= ERROR_FROM) return "error";
  return percent >= WARNING_FROM ? "warning" : "calm";
}
