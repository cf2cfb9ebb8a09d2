/** Small choices around the server: programs, settings, crashes, what fits, what a failed request means. */

import assert from "node:assert/strict";
import { homedir } from "node:os";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { countCrashes } from "../../src/server/crashes";
import { whatIsWrong } from "../../src/server/fits";
import { isSame, programAt, programIn, programOf, pythonOf } from "../../src/server/program";
import { faultOf } from "../../src/server/refusal";
import { serverSettings } from "../../src/server/settings";
import { l10n } from "../fakes/vscode";

test("our own environment runs isolated, a user's Python keeps its own settings but not the current folder", () => {
  assert.deepEqual(programIn("/env/bin/python").args, ["-I", "-m", "compact_chat", "serve"]);
  assert.deepEqual(programOf("interpreter", ["uv", "run", "python"]).args, [
    "run",
    "python",
    "-P",
    "-m",
    "compact_chat",
    "serve",
  ]);
});

test("a program gives back the Python it is a module of; a path has none, and may begin with ~", () => {
  assert.deepEqual(pythonOf(programOf("interpreter", ["py", "-3"])), ["py", "-3"]);
  assert.deepEqual(pythonOf(programIn("/env/bin/python")), ["/env/bin/python"]);
  assert.equal(pythonOf(programAt("/x/compact-chat")), undefined);
  for (const program of [programAt("~/x/y"), programAt("~\\x/y"), programOf("interpreter", ["~/x/y"])]) {
    assert.equal(program.command, `${homedir()}/x/y`);
  }
});

test("two programs are the same only where they are called alike", () => {
  assert.ok(isSame(programAt("/x"), programAt("/x")));
  assert.ok(!isSame(programOf("interpreter", ["/x"]), programIn("/x")));
});

test("only the server's settings are told, and empty texts are not", () => {
  const all: Record<string, unknown> = {
    provider: "auto",
    summaryModel: "",
    redactEmails: false,
    windows: {},
    "meter.show": true,
  };
  assert.deepEqual(
    serverSettings((name) => all[name]),
    { provider: "auto", redactEmails: false, windows: {} },
  );
});

test("three crashes within three minutes are too many; older ones and forgotten ones do not count", () => {
  const crashes = countCrashes();
  assert.deepEqual([crashes.note(0), crashes.note(1000), crashes.note(2000)], [false, false, true]);
  crashes.forget();
  assert.deepEqual([crashes.note(0), crashes.note(1000), crashes.note(200_000)], [false, false, false]);
});

const operations =
  "sessions countTokens preview summarize prompt format continuation transcript check export restore history watch unwatch".split(
    " ",
  );
const introduced = (compactChat: unknown, name = "compact-chat") => ({
  serverInfo: { name },
  capabilities: { experimental: { compactChat } },
});

test("a server fits by its name, its wire and its operations", () => {
  assert.equal(whatIsWrong(introduced({ version: 1, operations })), undefined);
  assert.equal(whatIsWrong(introduced({ version: 1, operations }, "other")), "other");
  assert.equal(whatIsWrong({}), "other");
  assert.equal(whatIsWrong(introduced({ version: 2, operations })), "unfit");
  assert.equal(whatIsWrong(introduced({ version: 1, operations: ["sessions"] })), "unfit");
});

test("a failed request is a fault of the kind that the server names", () => {
  const fault = faultOf({ code: -32050, message: "It would not be smaller.", data: { kind: "noGain", x: 1 } }, l10n.t);
  assert.deepEqual([fault.kind, fault.message, fault.data.x], ["noGain", "It would not be smaller.", 1]);
});

test("a cancelled request, a lost connection and anything else are told apart", () => {
  const kindOf = (problem: unknown) => faultOf(problem, l10n.t).kind;
  assert.equal(kindOf({ code: -32800, message: "" }), "cancelled");
  assert.equal(kindOf({ code: -32097, message: "" }), "serverFailed");
  assert.equal(kindOf(Object.assign(new Error(), { code: "EPIPE" })), "serverFailed");
  assert.equal(kindOf(new Error("what was said")), "internal");
  const own = new Fault("mine", "Mine.");
  assert.equal(faultOf(own, l10n.t), own);
});
