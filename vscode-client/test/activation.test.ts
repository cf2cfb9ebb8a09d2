/** How long our own code takes to start. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("loading and activating the extension takes at most 30 ms, in the fastest of fresh processes", (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/bench_activation.mjs"], {
    encoding: "utf8",
  });
  t.diagnostic(stdout.trim());
  assert.equal(status, 0, stdout + stderr);
});
