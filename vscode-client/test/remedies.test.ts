/** What a person reads when something goes wrong: one sentence, one button that helps. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { Fault } from "../src/faults";
import type { House } from "../src/house";
import { complain, remedyFor } from "../src/remedies";
import { CancellationError, commands, env, window, workspace } from "./fakes/vscode";
import { fakeLog, until } from "./server/workshop";

interface Shown {
  readonly how: "error" | "information";
  readonly sentence: unknown;
  readonly buttons: unknown[];
}

let shown: Shown[];
let run: unknown[][];
let answer: (buttons: unknown[]) => unknown;

beforeEach(() => {
  shown = [];
  run = [];
  answer = () => undefined;
  const show =
    (how: Shown["how"]) =>
    async (sentence: unknown, ...buttons: unknown[]) => {
      shown.push({ how, sentence, buttons });
      return answer(buttons);
    };
  Object.assign(window, { showErrorMessage: show("error"), showInformationMessage: show("information") });
  commands.executeCommand = async (...given: unknown[]) => run.push(given);
});

const { log, lines } = fakeLog();
const house = { log } as unknown as House;
const attempt = (provider: string, outcome: string, detail: string, kind?: string) => ({
  provider,
  model: "m",
  outcome,
  detail,
  seconds: 1,
  kind: kind ?? null,
});

/** Against these nobody can do anything but look into the log. */
const ONLY_LOG = ["internal", "invalidParams", "invalidRequest", "methodNotFound", "notInitialized", "parseError"];
const MORE_LOG = ["refused", "tokenRefused", "unexplained"];

test("every kind of error of the protocol and of the extension's own has a remedy, a command that there is", async () => {
  const protocol = await readFile("../PROTOCOL.md", "utf8");
  const table = protocol.slice(protocol.indexOf("\n## Errors"), protocol.indexOf("\n## Limits"));
  const rows = table.split("\n").filter((line) => line.startsWith("| −"));
  const files = (await readdir("src", { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((name) => readFile(join("src", name), "utf8")));
  const known = [
    ...rows.flatMap((row) => [...(row.split("|")[2] ?? "").matchAll(/`(\w+)`/g)]),
    ...texts.flatMap((text) => [...text.matchAll(/new Fault\(\s*"(\w+)"/g)]),
  ].map(([, kind = ""]) => kind);
  assert.ok(known.length > 40);
  const command = (kind: string) => remedyFor(new Fault(kind, "")).command;
  const helpless = known.filter((kind) => kind !== "cancelled" && command(kind) === "compactChat.ui.showLog");
  assert.deepEqual([...new Set(helpless)].sort(), [...ONLY_LOG, ...MORE_LOG]);
  const manifest = JSON.parse(await readFile("package.json", "utf8"));
  const offered = new Set(manifest.contributes.commands.map((one: { command: string }) => one.command));
  const wrong = known.filter((kind) => !offered.has(command(kind)) && !/^(workbench|vscode)\./.test(command(kind)));
  assert.deepEqual(wrong, []);
});

test("in a remote window the settings of the machine are opened where they stand", () => {
  const fault = new Fault("wrongServer", "");
  assert.equal(remedyFor(fault).command, "workbench.action.openSettings");
  env.remoteName = "ssh";
  assert.equal(remedyFor(fault).command, "workbench.action.openRemoteSettings");
  env.remoteName = undefined;
});

test("without a model a key helps, and another choice where the settings keep to the editor's models or to none", () => {
  const command = (provider: string) => {
    workspace.settings.set("compactChat.provider", provider);
    return remedyFor(new Fault("noModel", "")).command;
  };
  assert.deepEqual(["auto", "anthropic"].map(command), ["compactChat.ui.setApiKey", "compactChat.ui.setApiKey"]);
  assert.deepEqual(["editor", "offline"].map(command), ["compactChat.ui.chooseModel", "compactChat.ui.chooseModel"]);
});

test("what cannot be compacted leads to another chat to compact, what cannot be measured to another one to measure", () => {
  for (const kind of ["nothingToCompact", "noGain", "chatUnreadable", "chatNotFound", "tooLarge"]) {
    const command = (isMeasuring: boolean) => remedyFor(new Fault(kind, ""), undefined, isMeasuring).command;
    assert.deepEqual([command(false), command(true)], ["compactChat.ui.compactAnother", "compactChat.ui.pickChat"]);
  }
});

test("an unknown kind leads to the log, also one that every object has", () => {
  for (const kind of ["somethingNew", "constructor"]) {
    assert.equal(remedyFor(new Fault(kind, "")).command, "compactChat.ui.showLog");
  }
});

test("where a provider failed with a refused key, that leads to the key", () => {
  const attempts = [
    attempt("anthropic", "failed", "Anthropic did not accept the key: check it.", "auth"),
    attempt("anthropic", "skipped", "None."),
  ];
  const fault = new Fault("providerFailed", "All of it. The chat is unchanged.", { attempts });
  assert.equal(remedyFor(fault).command, "compactChat.ui.setApiKey");
});

test("a sentence with the name of a file never becomes a link", () => {
  complain(house, new Fault("chatNotFound", "There is no [x](command:y)."));
  assert.doesNotMatch(String(shown[0]?.sentence), /\]\(/);
});

test("one sentence and one button are shown, and the button does what it says", async () => {
  answer = ([button]) => button;
  complain(house, new Fault("cannotInstall", "There is no room."));
  await until("the command to run", () => run.length === 1);
  assert.deepEqual(shown, [{ how: "error", sentence: "There is no room.", buttons: ["Try Again"] }]);
  assert.deepEqual(run, [["compactChat.ui.setUp"]]);
});

test("a button acts on the draft that the problem is about, whatever is in front by then", async () => {
  answer = ([button]) => button;
  const uri = "compact-chat://1/a.md";
  complain(house, new Fault("noPanel", "So."), uri);
  complain(house, new Fault("noPython", "So."), uri);
  await until("the commands to run", () => run.length === 2);
  assert.deepEqual(
    run.map(([, ...given]) => given),
    [[uri], [true]],
  );
});

test("nobody waits until a sentence is read", async () => {
  answer = () => new Promise(() => undefined);
  complain(house, new Fault("internal", "Wrong."));
  assert.equal(shown.length, 1);
});

test("how things are is told calmly, what went wrong as an error", async () => {
  complain(house, new Fault("nothingToCompact", "It is short."));
  assert.equal(shown[0]?.how, "information");
  complain(house, new Fault("serverFailed", "It ended."));
  assert.equal(shown[1]?.how, "error");
});

test("what a person stopped is not told", async () => {
  complain(house, new Fault("cancelled", "Stopped."));
  complain(house, new CancellationError());
  assert.deepEqual(shown, []);
});

test("a fault of our own tells the log where it happened, and not what was said", async () => {
  complain(house, new TypeError("text of a chat"));
  complain(house, Object.assign(new Error("text of a chat"), { code: "EACCES" }));
  assert.equal(shown[0]?.buttons[0], "Show Log");
  assert.match(lines.join("\n"), /TypeError\n {4}at /);
  assert.match(lines.join("\n"), /Error EACCES\n {4}at /);
  assert.doesNotMatch(lines.join("\n"), /text of a chat/);
});
