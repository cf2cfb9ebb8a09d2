/** The number that the meter shows, by report and settings. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { bar, reading } from "../../src/meter/reading";
import type { HostRing } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { reportOf } from "./made";

const RING: HostRing = { used: 60_000, reserved: 8000, total: 108_000, percent: 63, usedPercent: 55.6 };

beforeEach(() => vscode.workspace.settings.clear());

const LIMIT = { limit: { tokens: 167_000, basis: "rule" }, percentOfLimit: 75.4 } as const;

test("a measured and an anchored number stand bare, an estimated one with a sign that it is about", () => {
  const text = (basis: "measured" | "anchored" | "estimated") => reading(reportOf({ basis, percent: 41.2 })).text;
  assert.deepEqual([text("measured"), text("anchored"), text("estimated")], ["41%", "41%", "~41%"]);
});

for (const [percent, text, level] of [
  [0, "0%", "calm"],
  [74.4, "74%", "calm"],
  [74.5, "75%", "warning"],
  [75, "75%", "warning"],
  [89.4, "89%", "warning"],
  [89.5, "90%", "error"],
  [90, "90%", "error"],
  [100, "100%", "error"],
] as const) {
  test(`${percent} percent are shown as ${text}, ${level}`, () => {
    const shown = reading(reportOf({ percent }));
    assert.deepEqual([shown.text, shown.level], [text, level]);
  });
}

test("the thresholds can be others", () => {
  vscode.workspace.settings.set("compactChat.meter.warningAt", 50).set("compactChat.meter.errorAt", 101);
  const level = (percent: number) => reading(reportOf({ percent })).level;
  assert.deepEqual([level(49), level(50), level(100)], ["calm", "warning", "warning"]);
});

test("a chat of VS Code shows what its ring shows, with the tokens of that", () => {
  const report = reportOf({ tool: "vscode", percent: 60, hostMeter: RING, ...LIMIT });
  const { text, used, of, isHosts } = reading(report);
  assert.deepEqual([text, used, of, isHosts], ["56%", 60_000, 108_000, true]);
});

test("a ring that knows nothing is not believed", () => {
  const empty = { used: 0, reserved: 8000, total: 108_000, percent: 0, usedPercent: 0 };
  const shown = reading(reportOf({ tool: "vscode", percent: 41, basis: "estimated", hostMeter: empty }));
  assert.deepEqual([shown.text, shown.isHosts], ["~41%", false]);
});

test("another tool's chat is a share of where the tool compacts, or of the window where that is not known", () => {
  const limited = reading(reportOf({ percent: 63, ...LIMIT }));
  const { text, used, of } = reading(reportOf({ percent: 63 }));
  assert.deepEqual([limited.text, limited.used, limited.of], ["75%", 126_000, 167_000]);
  assert.deepEqual([text, used, of], ["63%", 126_000, 200_000]);
});

for (const [low, level] of [
  [0, "warning"],
  [1, "warning"],
  [2, "calm"],
] as const) {
  test(`with ${low} turns left the meter is ${level}`, () => {
    assert.equal(reading(reportOf({ percent: 20, turnsLeft: { low, high: 9 } })).level, level);
  });
}

test("where two windows are possible the number is only about right", () => {
  assert.equal(reading(reportOf({ percent: 20, windowsPossible: [200_000, 1_000_000] })).text, "~20%");
});

test("the ring of VS Code says nothing about another tool's chat", () => {
  assert.equal(reading(reportOf({ hostMeter: RING, percent: 63 })).text, "63%");
});

test("a bar is never empty where anything is used, and never longer than it is", () => {
  assert.deepEqual(
    [0, 0.4, 49, 100, 140].map((percent) => bar(percent, 10)).map((text) => text.lastIndexOf("▰") + 1),
    [0, 1, 5, 10, 10],
  );
});
