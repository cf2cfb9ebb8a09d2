/** Compactions, surveys of what survives, and odd texts for the tests of this room. */

import assert from "node:assert/strict";
import type { Compaction, Survival } from "../../src/wire";

const FAR_TOO_LONG = 10_000; // milliseconds; a busy machine takes a tenth of it, and the square of such an input minutes

export const KEY = "8ec4ebe3ccf3193ae01514410ed9f9b7";
export const BEFORE = "## Session Continued from Previous Conversation\n\nAn earlier session follows.\n\n";
export const BEHIND = "\n\n## Recent messages\n\n[User]: and now the tests";
export const SUMMARY = "Summary:\n1. Primary Request and Intent:\n- build it";

/** What people and chats write: tags, rules, markers of other pages, line ends, signs of all sorts. */
export const ODD = [
  "plain words",
  "a </summary> in the middle\nand <summary> again",
  "<analysis>I think</analysis>",
  "---",
  "<!-- compact-chat:00000000 · Everything below opens the next chat. -->",
  "# A heading\n\n```ts\nconst a = `b`;\n```",
  "tabs\tand   blanks   \n\n\n\nafter many lines",
  "carriage\r\nreturns\rof all sorts\n",
  "\u202eright to left\u2066 \u05d0\u05d1 \u0000\u0007 \ud800 lone",
  "[link](command:workbench.action.quit) <img src=x onerror=1>",
  "## Recent messages\n\n[User]: and now the tests",
  "$(pass) `` two ticks `",
  "\u{1f600}".repeat(100),
];

export function compactionOf(change: Partial<Compaction> = {}): Compaction {
  const summary = change.summary ?? SUMMARY;
  return {
    compactionId: KEY,
    planId: "plan",
    tool: "claude-code",
    title: "Build the parser",
    provider: "offline",
    model: null,
    style: "detailed",
    summary,
    sections: null,
    continuation: summary === "" ? "" : `${BEFORE}${summary}${BEHIND}`,
    before: 128_412,
    after: 4210,
    counts: {
      before: 412,
      after: 6,
      summarized: 400,
      pruned: 0,
      dropped: 0,
      charsPruned: 0,
      tokensSaved: 124_202,
      skipped: 0,
      fixed: 0,
      overBudget: false,
    },
    survival: survivalOf({}),
    healed: 0,
    warnings: [],
    attempts: [],
    usage: null,
    archive: "file:///archive/1",
    ...change,
  };
}

/** A survey with the given lost texts by class, each class with one fact more that is kept. */
export function survivalOf(lost: Readonly<Record<string, readonly string[]>>): Survival {
  const classes = Object.entries(lost).map(([name, texts]) => ({
    name,
    total: texts.length + 1,
    kept: 1,
    restored: 0,
    lost: texts.map((text, place) => ({ id: `${name}:${place}`, text, message: `message-${place}` })),
  }));
  const total = classes.reduce((sum, one) => sum + one.total, 0);
  return { kept: total ? classes.length / total : 1, classes };
}

/** Does work on an input so long that it would take minutes if it grew with the square of it. */
export function inLinearTime(work: () => void): void {
  const begun = performance.now();
  work();
  assert.ok(performance.now() - begun < FAR_TOO_LONG);
}
