/** Which Python is found and taken. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findPython, isOlder, lookAt, suits, usualCommands } from "../../src/server/python";
import { newFolder, writeProgram, writePython } from "./workshop";

test("a Python tells its version, its program, whether it makes environments, and whether it has the server", async () => {
  const folder = await newFolder();
  const file = await writePython(folder, "python", ["3.12.4", "/usr/bin/python3.12", "True", "0.1.0"]);
  assert.deepEqual(await lookAt([file], folder), {
    command: [file],
    executable: "/usr/bin/python3.12",
    version: "3.12.4",
    makesEnvironments: true,
    server: "0.1.0",
  });
});

test("a Python tells its path in UTF-8, whatever the system's own encoding is", async () => {
  const folder = await newFolder();
  const file = await writeProgram(folder, "python", [
    `printf '3.12.4\\n/usr/bin/python3\\nTrue\\n%s\\n' "$PYTHONIOENCODING"`,
  ]);
  assert.equal((await lookAt([file], folder))?.server, "utf-8");
});

test("what is not there, and what says something else, is no Python", async () => {
  const folder = await newFolder();
  assert.equal(await lookAt([`${folder}/nothing`], folder), undefined);
  assert.equal(await lookAt([await writePython(folder, "store", ["Python was not found"])], folder), undefined);
});

test("a Python that is too old still tells its version", async () => {
  const folder = await newFolder();
  const old = await lookAt([await writePython(folder, "python2", ["2.7.18", "/usr/bin/python2"])], folder);
  assert.equal(old && suits(old), "tooOld");
});

test("the first that suits is taken; those before it that almost do are told", async () => {
  const folder = await newFolder();
  const bare = await writePython(folder, "bare", ["3.13.0", "/bare", "False"]);
  const good = await writePython(folder, "good", ["3.11.2", "/good", "True"]);
  const never = await writePython(folder, "never", ["3.14.0", "/never", "True"]);
  const found = await findPython(folder, [["/nowhere/python"], [bare], [good], [never]]);
  assert.equal(found.best?.executable, "/good");
  assert.deepEqual(found.others.map(suits), ["withoutVenv"]);
});

test("where none suits there is no best one", async () => {
  const folder = await newFolder();
  const old = await writePython(folder, "old", ["3.10.9", "/old", "True"]);
  const found = await findPython(folder, [[old]]);
  assert.equal(found.best, undefined);
  assert.deepEqual(found.others.map(suits), ["tooOld"]);
});

test("newer commands are tried first, and on Windows the launcher", () => {
  assert.deepEqual(usualCommands("linux")[0], ["python3.14"]);
  assert.deepEqual(usualCommands("win32")[0], ["py", "-3"]);
  const mac = usualCommands("darwin").map(([command]) => command);
  assert.ok(
    mac.indexOf("/opt/homebrew/bin/python3.11") < mac.indexOf("python3"),
    "which may only offer to install one",
  );
});

test("versions are compared by numbers, not as texts", () => {
  assert.equal(isOlder("3.9.18", "3.11"), true);
  assert.equal(isOlder("3.11.0", "3.11"), false);
  assert.equal(isOlder("0.10.0", "0.9.1"), false);
  assert.equal(isOlder("0.1.0", "0.1.1"), true);
});
