/** The commands around the server: the shell's command, and help with a bug report. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import type { House } from "../../src/house";
import { serverCommands } from "../../src/server/commands";
import { findProgram, type Program, placeOf, refreshScript } from "../../src/server/program";
import { commands, env, window, workspace } from "../fakes/vscode";
import { type FakeContext, fakeContext, newFolder, writeProgram } from "./workshop";

let fakes: FakeContext;
let extension: string;
let home: string;
let house: House;

beforeEach(async () => {
  [extension, home] = [await newFolder(), await newFolder()];
  process.env.HOME = home;
  workspace.settings.clear();
  fakes = fakeContext(await newFolder(), extension);
  const report = { title: "Secret plans", format: "codex", basis: "measured", messageCount: 3, percent: 12 };
  const server = { state: "running", version: "9.9.9" };
  house = { context: fakes.context, server, chats: { inUse: { report }, trouble: undefined } } as unknown as House;
  window.showInformationMessage = async () => undefined;
});

const run = (name: string) => (serverCommands(house)[name] as () => Promise<void>)();

/** Puts a program into a version of the extension that prints its name. */
async function bundle(name: string): Promise<void> {
  await mkdir(join(extension, "server", "compact-chat"), { recursive: true });
  await writeProgram(join(extension, "server", "compact-chat"), "compact-chat", [`echo ${name} "$@"`]);
}

test("the shell's command calls the program with what it is given, and follows the extension to another version", async () => {
  const file = join(home, ".local/bin/compact-chat");
  await assert.rejects(run("installCommand"), (problem) => problem instanceof Fault && problem.kind === "notSetUp");
  await bundle("one");
  await run("installCommand");
  assert.equal(execFileSync(file, ["a b", "c"], { encoding: "utf8" }), "one a b c\n");
  extension = await newFolder();
  await bundle("two");
  Object.assign(fakes.context, { extensionPath: extension });
  const program = await findProgram(placeOf(fakes.context));
  await refreshScript(fakes.context, program as Program);
  assert.equal(execFileSync(file, { encoding: "utf8" }), "two\n");
  await writeFile(file, "#!/bin/sh\n");
  await assert.rejects(run("installCommand"), (problem) => problem instanceof Fault && problem.kind === "cannotWrite");
});

test("a bug report has versions and states, and nothing of a chat", async () => {
  const copied: string[] = [];
  env.clipboard.writeText = async (text) => void copied.push(text);
  await run("reportIssue");
  const [text = ""] = copied;
  for (const part of ["9.9.9", "running", "codex", process.platform]) {
    assert.ok(text.includes(part), part);
  }
  assert.doesNotMatch(text, /Secret/);
  const opened: unknown[] = [];
  commands.executeCommand = async (...given: unknown[]) => opened.push(given[0]);
  Object.assign(fakes.context.extension.packageJSON, { bugs: { url: "https://example.org/issues" } });
  await run("reportIssue");
  assert.deepEqual(opened, ["workbench.action.openIssueReporter"]);
});

test("a removed key is gone", async () => {
  fakes.secrets.set("anthropicApiKey", "sk-ant-1");
  await run("removeApiKey");
  assert.equal(fakes.secrets.size, 0);
});
