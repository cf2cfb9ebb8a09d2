/** Sets up the private environment: one question, then a progress that can be stopped. */

import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import { Fault } from "../faults";
import { findAny, findComplete, type Supplies } from "./environment";
import { install } from "./install";
import type { Place } from "./locate";
import { findPython, lookAt, type Python, suits } from "./python";

/** What the packages take on the disk, in megabytes. */
const SIZE_MB = 100;

/** Makes the environment; rejects with a `Fault` where that is declined or fails. With `choosing`, the user names the Python. */
export async function setUp(
  place: Place,
  log: vscode.LogOutputChannel,
  choosing: boolean,
  closing: AbortSignal,
): Promise<void> {
  const supplies = await place.supplies();
  if (supplies === undefined) {
    throw new Fault(
      "wrongServer",
      vscode.l10n.t("This copy of the extension came without its server: name a Python that has it in the settings."),
    );
  }
  await mkdir(place.storage, { recursive: true });
  const python = choosing ? await choosePython(place) : await findSuitable(place);
  const isUpdate = (await findAny(place.storage)) !== undefined && !choosing;
  const agreed = await agreedPython(python, place, isUpdate);
  const isMade = !choosing && (await findComplete(place.storage, supplies.identity)) !== undefined;
  if (isMade) {
    return; // by another window, while this one asked
  }
  await installing(agreed, supplies, place, log, closing);
}

/** Asks once; the user may name another Python instead. */
async function agreedPython(python: Python, place: Place, isUpdate: boolean): Promise<Python> {
  const { t } = vscode.l10n;
  const [yes, other] = [isUpdate ? t("Update") : t("Install"), t("Choose Python…")];
  const question = isUpdate ? t("Update the server of Compact Chat?") : t("Set up the server of Compact Chat?");
  const detail = questionDetail(python, place, isUpdate);
  const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, yes, other);
  if (answer === other) {
    return agreedPython(await choosePython(place), place, isUpdate);
  }
  if (answer !== yes) {
    throw new Fault("cancelled", t("The server was not set up."));
  }
  return python;
}

function questionDetail({ version, executable }: Python, { storage }: Place, isUpdate: boolean): string {
  const what = vscode.l10n.t(
    "It runs on this machine, with Python {0} ({1}). What it needs is fetched from the Python package index and takes about {2} MB; each package is checked against a hash that came with the extension. All of it goes into {3}; nothing else is changed.",
    version,
    executable,
    SIZE_MB,
    storage,
  );
  const why = vscode.l10n.t("This version of the extension comes with a new server.");
  return isUpdate ? `${why} ${what}` : what;
}

async function findSuitable(place: Place): Promise<Python> {
  const { best, others } = await findPython(place.storage);
  if (best !== undefined) {
    return best;
  }
  const almost = others.find((python) => suits(python) === "withoutVenv") ?? others[0];
  throw almost === undefined ? noPython() : unsuitable(almost);
}

async function choosePython(place: Place): Promise<Python> {
  const title = vscode.l10n.t("Python 3.11 or newer");
  const [file] = (await vscode.window.showOpenDialog({ title, openLabel: vscode.l10n.t("Use This Python") })) ?? [];
  if (file === undefined) {
    throw new Fault("cancelled", vscode.l10n.t("The server was not set up."));
  }
  const python = await lookAt([file.fsPath], place.storage);
  if (python === undefined || suits(python) !== "suits") {
    throw python === undefined ? noPython(file.fsPath) : unsuitable(python);
  }
  return python;
}

function noPython(chosen?: string): Fault {
  const sentence =
    chosen === undefined
      ? vscode.l10n.t("No Python was found: install Python 3.11 or newer from python.org, or choose one.")
      : vscode.l10n.t("{0} is no Python: choose a program of Python 3.11 or newer.", chosen);
  return new Fault("noPython", sentence);
}

function unsuitable({ version, executable, ...python }: Python): Fault {
  if (suits({ version, executable, ...python }) === "tooOld") {
    const sentence = vscode.l10n.t(
      "Compact Chat needs Python 3.11 or newer, and found {0}: choose a newer one.",
      version,
    );
    return new Fault("oldPython", sentence);
  }
  const short = version.split(".").slice(0, 2).join(".");
  const sentence = vscode.l10n.t(
    "{0} cannot make environments: install its module venv (on Debian and Ubuntu the package python{1}-venv).",
    executable,
    short,
  );
  return new Fault("cannotInstall", sentence);
}

function installing(
  python: Python,
  supplies: Supplies,
  place: Place,
  log: vscode.LogOutputChannel,
  closing: AbortSignal,
): Thenable<unknown> {
  const title = vscode.l10n.t("Setting up Compact Chat");
  const where = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
  return vscode.window.withProgress(where, (progress, token) => {
    const stopping = new AbortController();
    token.onCancellationRequested(() => stopping.abort());
    return install({
      python,
      supplies,
      storage: place.storage,
      signal: AbortSignal.any([stopping.signal, closing]),
      t: vscode.l10n.t,
      tell: (message, increment) => progress.report({ message, increment }),
      log: (line) => log.info(line),
    });
  });
}
