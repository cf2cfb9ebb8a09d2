/** A report and calls for the tests of the tool. */

import { CancellationTokenSource } from "../fakes/vscode";
import { reportOf } from "../meter/made";

export const REPORT = reportOf({
  model: "gpt-5",
  tool: "vscode",
  title: "Build the parser",
  used: 80_896,
  low: 79_000,
  high: 82_000,
  window: 128_000,
  percent: 63.2,
  basis: "estimated",
  parts: { assistant: 30_000, toolResults: 50_896 },
  reason: "There is room for 8,704 more tokens.",
  limit: { tokens: 102_400, basis: "rule" },
  percentOfLimit: 79,
});

export const NEVER = new CancellationTokenSource().token as never;
