/** How pip is called, and what its failures become. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { remedyFor } from "../../src/remedies";
import {
  countPackages,
  fetchArguments,
  packageBegun,
  pipEnvironment,
  pipFault,
  serverArguments,
} from "../../src/server/pip";
import { l10n } from "../fakes/vscode";

const supplies = {
  wheel: "/x/compact_chat-0.1.0-py3-none-any.whl",
  requirements: "/x/requirements.txt",
  libraries: "1",
  identity: "1-1",
};

test("packages are fetched with their hashes, by the list alone", () => {
  const args = fetchArguments(supplies);
  assert.ok(args.includes("--require-hashes"));
  assert.deepEqual(args.slice(-2), ["--requirement", supplies.requirements]);
  assert.equal(args[0], "-I");
});

test("nothing is ever built from source, since what builds it is checked by no hash", () => {
  for (const args of [fetchArguments(supplies), serverArguments(supplies)]) {
    assert.ok(args.includes("--only-binary=:all:"));
  }
});

test("the server comes from the file of the extension, and nothing of it from an index", () => {
  const args = serverArguments(supplies);
  assert.ok(["--no-index", "--no-deps", "--force-reinstall"].every((option) => args.includes(option)));
  assert.equal(args.at(-1), supplies.wheel);
  assert.ok(![...args, ...fetchArguments(supplies)].includes("compact-chat"), "never by our name");
});

test("the user's index and proxy stay, what leads packages elsewhere goes", () => {
  const kept = {
    PIP_INDEX_URL: "https://index.example/simple",
    PIP_CONFIG_FILE: "/etc/pip.conf",
    HTTPS_PROXY: "p",
    PATH: "/bin",
  };
  assert.deepEqual(
    pipEnvironment({ ...kept, PIP_TARGET: "/x", PIP_USER: "1", PIP_PREFIX: "/y", pip_python_version: "3.9" }),
    kept,
  );
});

test("a line that begins a package gives its name", () => {
  assert.equal(packageBegun("Collecting pydantic-core==2.50.4 (from -r requirements.txt (line 3))"), "pydantic-core");
  assert.equal(packageBegun("  Downloading pydantic_core-2.50.4.whl"), undefined);
  assert.equal(countPackages("one==1 \\\n    --hash=sha256:00\n# two\nthree==3 ; python_version > '3'\n"), 2);
});

for (const [said, sentence, button = "Try Again"] of [
  ["ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", /nothing was installed/],
  [
    "NewConnectionError('<...>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')",
    /could not be reached/,
  ],
  [
    "WARNING: 401 Error, Credentials not correct for https://x\nERROR: No matching distribution",
    /could not be reached/,
  ],
  [
    "ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)",
    /choose another Python/,
    "Choose Python…",
  ],
  ["OSError: [Errno 28] No space left on device", /no room on the disk/],
  ["SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", /certificate was refused/],
  [
    "ERROR: x-1-cp311-cp311-win32.whl is not a supported wheel on this platform.",
    /choose another Python/,
    "Choose Python…",
  ],
  ["ERROR: Something else is wrong.", /could not be installed: Something else is wrong\.$/],
  ["Killed", /the log tells why/, "Show Log"],
] as const) {
  test(`"${said.slice(0, 50)}" is told in one sentence, with the button that helps`, () => {
    const fault = pipFault(`Collecting x\n${said}\n`, l10n.t);
    assert.match(fault.message, sentence);
    assert.equal(remedyFor(fault, l10n.t).label, button);
  });
}
