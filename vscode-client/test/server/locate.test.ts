/** In which order the server's program is looked for. */

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, test } from "node:test";
import { markComplete, newFolder as newEnvironment, pythonIn, suppliesIn } from "../../src/server/environment";
import { locate, type Place, placeOf } from "../../src/server/locate";
import { extensions, Uri, workspace } from "../fakes/vscode";
import { fakeContext, newFolder, writePython } from "./workshop";

let folder: string;
let place: Place;

beforeEach(async () => {
  folder = await newFolder();
  workspace.settings.clear();
  extensions.getExtension = () => undefined;
  await mkdir(join(folder, "server"));
  await writeFile(join(folder, "server", "compact_chat-0.1.0-py3-none-any.whl"), "wheel");
  await writeFile(join(folder, "server", "requirements.txt"), "one==1\n");
  place = placeOf(fakeContext(join(folder, "storage"), folder).context);
});

async function makeOwn(): Promise<string> {
  await mkdir(place.storage);
  const environment = await newEnvironment(place.storage);
  await mkdir(dirname(pythonIn(environment)), { recursive: true });
  await writeFile(pythonIn(environment), "");
  await markComplete(environment, (await suppliesIn(join(folder, "server")))?.identity ?? "");
  return pythonIn(environment);
}

/** Has the Python extension tell of an active environment; gives how often it was woken. */
function activate(executable: string, isActive = true): { woken: number } {
  const seen = { woken: 0 };
  const environments = {
    getActiveEnvironmentPath: () => ({ path: executable }),
    resolveEnvironment: async () => ({ executable: { uri: Uri.file(executable) } }),
  };
  const activated = async () => {
    seen.woken += 1;
    return { environments };
  };
  extensions.getExtension = (id: string) =>
    id === "ms-python.python"
      ? { isActive, exports: isActive ? { environments } : undefined, activate: activated }
      : undefined;
  return seen;
}

const found = async (mayWake = false) => {
  const program = await locate(place, mayWake);
  return program && [program.origin, program.command];
};

test("without anything there is no program", async () => {
  assert.equal(await found(), undefined);
});

test("our own environment counts once it is whole", async () => {
  assert.deepEqual(await found(), undefined);
  const python = await makeOwn();
  assert.deepEqual(await found(), ["own", python]);
});

test("the path comes before the interpreter, and both before all that is found", async () => {
  await makeOwn();
  activate(await writePython(folder, "active", ["3.12.0", `${folder}/active`, "True", "0.1.0"]));
  workspace.settings.set("compactChat.interpreter", ["/my/python"]);
  assert.deepEqual(await found(), ["interpreter", "/my/python"]);
  workspace.settings.set("compactChat.server.path", "/my/compact-chat");
  assert.deepEqual(await found(), ["path", "/my/compact-chat"]);
});

test("an interpreter written as a text is taken as one, and what is no text at all as none", async () => {
  workspace.settings.set("compactChat.interpreter", " /my/python ");
  assert.deepEqual(await found(), ["interpreter", "/my/python"]);
  workspace.settings.set("compactChat.interpreter", [1, ""]);
  workspace.settings.set("compactChat.server.path", 2);
  assert.equal(await found(), undefined);
});

test("the active environment counts where it has the server", async () => {
  const own = await makeOwn();
  activate(await writePython(folder, "bare", ["3.12.0", `${folder}/bare`, "True"]));
  assert.deepEqual(await found(), ["own", own]);
  activate(await writePython(folder, "active", ["3.12.0", `${folder}/active`, "True", "0.2.0"]));
  assert.deepEqual(await found(), ["active", `${folder}/active`]);
});

test("a server that is older than the extension does not count", async () => {
  activate(await writePython(folder, "older", ["3.12.0", `${folder}/older`, "True", "0.0.9"]));
  assert.equal(await found(), undefined);
});

test("a sleeping Python extension is woken only where that is allowed", async () => {
  const python = await writePython(folder, "active", ["3.12.0", `${folder}/active`, "True", "0.1.0"]);
  const seen = activate(python, false);
  assert.equal(await found(), undefined);
  assert.equal(seen.woken, 0);
  assert.deepEqual(await found(true), ["active", `${folder}/active`]);
  assert.equal(seen.woken, 1);
});

test("another extension that does not answer is not waited for", async (t) => {
  const own = await makeOwn();
  extensions.getExtension = () => ({ isActive: false, activate: () => new Promise(() => undefined) });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const program = found(true);
  for (const _ of [1, 2]) {
    t.mock.timers.tick(3000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await program, ["own", own]);
});

test("a fault of another extension is no reason to stop", async () => {
  const own = await makeOwn();
  extensions.getExtension = () => ({ isActive: true, exports: {} });
  assert.deepEqual(await found(), ["own", own]);
});
