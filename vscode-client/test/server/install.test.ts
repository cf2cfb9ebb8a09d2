/** Making an environment, with a real Python where there is one and without the network: a wheel made here, and nothing else to fetch. */

import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { remedyFor } from "../../src/remedies";
import { findComplete, type Supplies } from "../../src/server/environment";
import { type Installing, install, renew } from "../../src/server/install";
import { findPython, lookAt, type Python } from "../../src/server/python";
import { run } from "../../src/server/run";
import { l10n } from "../fakes/vscode";
import { newFolder, until, writeProgram } from "./workshop";

const MAKE_WHEEL = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("compact_chat/__init__.py", f"__version__ = '{sys.argv[2]}'")
    wheel.writestr("compact_chat/__main__.py", "print('compact-chat 0.1.0')")
    info = "compact_chat-0.1.0.dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: compact-chat\\nVersion: 0.1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
`;

const PUT_LIBRARY = `import pathlib, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "a_library.py").touch()
`;

async function makeWheel(python: Python, { wheel }: Supplies, version: string): Promise<void> {
  const [program, ...args] = python.command;
  await run(program, [...args, "-c", MAKE_WHEEL, wheel, version], { cwd: dirname(wheel) });
}

async function suppliesOf(folder: string, requirements: string, identity = "libraries-one"): Promise<Supplies> {
  const supplies = {
    wheel: join(folder, "compact_chat-0.1.0-py3-none-any.whl"),
    requirements: join(folder, "requirements.txt"),
    libraries: "libraries",
    identity,
  };
  await writeFile(supplies.requirements, requirements);
  return supplies;
}

function installing(
  python: Python,
  supplies: Supplies,
  storage: string,
): Installing & { told: string[]; logged: string[] } {
  const [told, logged]: [string[], string[]] = [[], []];
  return {
    python,
    supplies,
    storage,
    signal: new AbortController().signal,
    t: l10n.t,
    tell: (what) => told.push(what),
    log: (line) => logged.push(line),
    told,
    logged,
  };
}

/** A Python whose environments hold a program that does what a test says in the place of pip. */
async function pythonWithPip(folder: string, pip: string): Promise<Python> {
  const inside = `case "$*" in *pip*) ${pip} ;; esac`;
  const made = `mkdir -p "$4/bin"; printf '%s\\n' '#!/bin/sh' '${inside}' > "$4/bin/python"; chmod +x "$4/bin/python"`;
  const file = await writeProgram(folder, "python", [made]);
  return { command: [file], executable: file, version: "3.12.0", makesEnvironments: true, server: undefined };
}

test("an environment is made whole, has the server, and is found again", async (t) => {
  const { best } = await findPython(await newFolder());
  if (best === undefined) {
    return t.skip("there is no Python 3.11 or newer that makes environments");
  }
  const [files, storage] = [await newFolder(), await newFolder()];
  const supplies = await suppliesOf(files, "# nothing to fetch\n");
  await makeWheel(best, supplies, "0.1.0");
  const python = await install(installing(best, supplies, storage));
  assert.equal((await lookAt([python], storage))?.server, "0.1.0");
  assert.equal(await findComplete(storage, "libraries-one"), python);
});

test("another server is put beside the libraries that are there, without a network, and the environment before stays", async (t) => {
  const { best } = await findPython(await newFolder());
  if (best === undefined) {
    return t.skip("there is no Python 3.11 or newer that makes environments");
  }
  const [files, storage] = [await newFolder(), await newFolder()];
  const first = await suppliesOf(files, "# nothing to fetch\n");
  await makeWheel(best, first, "0.1.0");
  const before = await install(installing(best, first, storage));
  await run(before, ["-c", PUT_LIBRARY], { cwd: files });
  const second = await suppliesOf(files, "a-library-of-no-index==1\n", "libraries-two");
  await makeWheel(best, second, "0.1.0+changed");
  const after = await renew(before, installing(best, second, storage));
  const server = async (python: string) => (await lookAt([python], storage))?.server;
  assert.deepEqual([await server(before), await server(after)], ["0.1.0", "0.1.0+changed"]);
  assert.equal((await run(after, ["-I", "-c", "import a_library"], { cwd: storage })).code, 0);
  assert.equal(await findComplete(storage, "libraries-one"), before);
  assert.equal(await findComplete(storage, "libraries-two"), after);
});

test("an update that fails leaves what was there, and nothing else", async () => {
  const [files, storage] = [await newFolder(), await newFolder()];
  const python = await pythonWithPip(files, "[ -e broken ] && exit 1; exit 0");
  const before = await install(installing(python, await suppliesOf(files, "one==1\n"), storage));
  await writeFile(join(storage, "broken"), "");
  const second = await suppliesOf(files, "one==1\n", "libraries-two");
  await assert.rejects(renew(before, installing(python, second, storage)), Fault);
  assert.deepEqual((await readdir(storage)).length, 2, "the environment and the file that broke it");
  assert.equal(await findComplete(storage, "libraries-one"), before);
});

test("a failed installation is told in one sentence, its output is in the log, and nothing is left of it", async () => {
  const [files, storage] = [await newFolder(), await newFolder()];
  const python = await pythonWithPip(files, "echo Failed to establish a new connection >&2; exit 1");
  const made = installing(python, await suppliesOf(files, "one==1\n"), storage);
  await assert.rejects(
    install(made),
    (problem) => problem instanceof Fault && /could not be reached/.test(problem.message),
  );
  assert.ok(made.logged.includes("Failed to establish a new connection"));
  assert.deepEqual(await readdir(storage), []);
});

test("a Python that fails to make an environment is named, and another one can be chosen", async () => {
  const [files, storage] = [await newFolder(), await newFolder()];
  const file = await writeProgram(files, "python", ["echo ensurepip is broken; exit 1"]);
  const python = { command: [file], executable: file, version: "3.12.7", makesEnvironments: true, server: undefined };
  const made = installing(python as unknown as Python, await suppliesOf(files, "one==1\n"), storage);
  await assert.rejects(install(made), (problem) => {
    assert.ok(problem instanceof Fault);
    assert.match(problem.message, /3\.12\.7.*choose another/);
    return remedyFor(problem, l10n.t).label === "Choose Python…";
  });
});

test("a storage that cannot be written to is told in one sentence", async () => {
  const files = await newFolder();
  const python = await pythonWithPip(files, "exit 0");
  const made = installing(python, await suppliesOf(files, "one==1\n"), join(files, "requirements.txt"));
  await assert.rejects(
    install(made),
    (problem) => problem instanceof Fault && problem.kind === "cannotInstall" && /EEXIST|ENOTDIR/.test(problem.message),
  );
});

test("each package is told when it begins", async () => {
  const [files, storage] = [await newFolder(), await newFolder()];
  const python = await pythonWithPip(files, "echo Collecting one==1; exit 0");
  const made = installing(python, await suppliesOf(files, "one==1\n"), storage);
  await install(made);
  assert.ok(made.told.includes("fetching one"));
});

test("a stopped installation ends what it started, and leaves nothing", async () => {
  const [files, storage] = [await newFolder(), await newFolder()];
  const python = await pythonWithPip(files, `echo $$ > ${files}/pid; sleep 60`);
  const stopping = new AbortController();
  const made = { ...installing(python, await suppliesOf(files, "one==1\n"), storage), signal: stopping.signal };
  const ended = assert.rejects(install(made), (problem) => problem instanceof Fault && problem.kind === "cancelled");
  await until("pip to run", async () => (await readFile(`${files}/pid`, "utf8").catch(() => "")).endsWith("\n"));
  stopping.abort();
  await ended;
  assert.deepEqual(await readdir(storage), []);
  const pid = Number(await readFile(`${files}/pid`, "utf8"));
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
});
