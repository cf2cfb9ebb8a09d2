/** A report and calls for the tests of the tool. */

import type { TokenReport } from "../../src/wire";
import { CancellationTokenSource } from "../fakes/vscode";

export const REPORT = {
  model: "gpt-5",
  tool: "vscode",
  format: "vscode-log",
  title: "Build the parser",
  messageCount: 12,
  used: 80_896,
  low: 79_000,
  high: 82_000,
  window: 128_000,
  windowBasis: "chat",
  percent: 63.2,
  basis: "estimated",
  parts: {
    fixed: 0,
    summary: 0,
    user: 0,
    assistant: 30_000,
    toolCalls: 0,
    toolResults: 50_896,
    thinking: 0,
    images: 0,
  },
  advice: "none",
  reason: "There is room for 8,704 more tokens.",
  warnings: [],
  hostMeter: null,
  limit: { tokens: 102_400, basis: "rule" },
  percentOfLimit: 79,
  turnsLeft: null,
  windowsPossible: [],
  compactions: { total: 0, automatic: 0, lastBefore: null, lastAfter: null },
} satisfies TokenReport as TokenReport;

export const NEVER = new CancellationTokenSource().token as never;
