/** How pip is called, and what its failures mean. */

import { Fault, type Translate } from "../faults";
import type { Supplies } from "./environment";

/** Only what is built already: whatever is built from source fetches its tools unchecked by any hash. */
const COMMON = [
  "-I",
  "-m",
  "pip",
  "install",
  "--only-binary=:all:",
  "--no-input",
  "--no-user",
  "--disable-pip-version-check",
  "--progress-bar",
  "off",
];

/** Fetches what the server needs, each package checked against its hash. */
export function fetchArguments(supplies: Supplies): string[] {
  return [...COMMON, "--retries", "2", "--timeout", "20", "--require-hashes", "--requirement", supplies.requirements];
}

/** Installs the server itself from the file that came with the extension, never from an index, and in the place of one that is there. */
export function serverArguments(supplies: Supplies): string[] {
  return [...COMMON, "--no-index", "--no-deps", "--force-reinstall", supplies.wheel];
}

/** Leaves the user's index and proxy to pip, and nothing that would put the packages elsewhere. */
export function pipEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const misleading =
    /^PIP_(TARGET|PREFIX|ROOT|USER|PYTHON|REQUIREMENT|CONSTRAINT|EDITABLE|NO_DEPS|DRY_RUN|REPORT|SRC|PLATFORM|PYTHON_VERSION|IMPLEMENTATION|ABI)$/i;
  const kept = Object.entries(environment).filter(([name]) => !misleading.test(name));
  return Object.fromEntries(kept);
}

/** Gives the name of the package that a line of pip's output begins with; undefined for other lines. */
export function packageBegun(line: string): string | undefined {
  return /^Collecting ([A-Za-z0-9._-]+?)==/.exec(line)?.[1];
}

/** Counts the packages of a list with hashes. */
export function countPackages(requirements: string): number {
  return requirements.split("\n").filter((line) => /^[A-Za-z0-9]/.test(line)).length;
}

/** Says in one sentence why pip failed. */
export function pipFault(errors: string, t: Translate): Fault {
  const found = CAUSES.find(([pattern]) => pattern.test(errors));
  if (found !== undefined) {
    return new Fault("cannotInstall", found[1](t));
  }
  const unfit = t("A package does not run on this Python or this kind of machine: choose another Python.");
  return UNFIT.test(errors) ? new Fault("unfitPython", unfit) : unknownCause(errors, t);
}

const CAUSES: readonly (readonly [RegExp, (t: Translate) => string])[] = [
  [
    /DO NOT MATCH THE HASHES|HashMismatch/i,
    (t) => t("A package that was offered is not the one that this extension was made with, so nothing was installed."),
  ],
  [/No space left on device|not enough space/i, (t) => t("There is no room on the disk for the server's packages.")],
  [
    /\[?SSL|CERTIFICATE_VERIFY_FAILED|certificate verify failed/i,
    (t) => t("The connection to the Python package index could not be trusted: its certificate was refused."),
  ],
  [
    /NewConnectionError|Failed to establish|name resolution|NameResolution|getaddrinfo|ConnectTimeout|ReadTimeout|ProxyError|Connection refused|Connection to .* timed out|Max retries|\b(40[137]|5\d\d) (Client |Server )?Error|HTTP error \d/i,
    (t) => t("The Python package index could not be reached: check the connection, then try again."),
  ],
];

const UNFIT =
  /No matching distribution|from versions:|requires a different Python|Ignored the following versions|is not a supported wheel/i;

function unknownCause(errors: string, t: Translate): Fault {
  const said = errors.split("\n").findLast((line) => line.startsWith("ERROR:"));
  const cause = (said ?? "").slice("ERROR:".length).trim().slice(0, 200).replace(/\.$/, "");
  return cause
    ? new Fault("cannotInstall", t("The server could not be installed: {0}.", cause))
    : new Fault("unexplained", t("The server could not be installed; the log tells why."));
}
