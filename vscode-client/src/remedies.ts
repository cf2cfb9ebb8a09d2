/** What helps against each kind of fault: one button, and how loud the sentence is. */

import * as vscode from "vscode";
import { Fault, isCancelled, type Translate } from "./faults";
import type { House } from "./house";
import { withoutLinks } from "./words";

export interface Remedy {
  readonly label: string;
  readonly command: string;
  readonly given?: readonly unknown[];
}

/** Kinds that tell how things are, rather than that something went wrong. */
const CALM: ReadonlySet<string> = new Set([
  "meterHidden",
  "modelMissing",
  "noFile",
  "nothingCopied",
  "noGain",
  "noMessage",
  "noModel",
  "noPage",
  "noPanel",
  "noPlace",
  "otherModel",
  "nothingToCheck",
  "nothingToCompact",
  "notSetUp",
  "notTrusted",
]);

const NEEDS_MODEL: ReadonlySet<string> = new Set(["noModel", "modelMissing", "otherModel"]);

export interface Circumstances {
  /** Where a window is remote, settings of the machine stand on a page of their own. */
  readonly isRemote?: boolean;
  /** The draft that a command was about; without it a button acts on what is in front when it is pressed. */
  readonly about?: vscode.Uri | string | undefined;
  /** Whether the meter met it, rather than a command that was to compact. */
  readonly isMeasuring?: boolean;
  /** Who improves summaries, by the settings. */
  readonly provider?: unknown;
}

interface Case extends Circumstances {
  readonly data: Fault["data"];
}

type Help = (t: Translate, found: Case) => Remedy;

const ours = (label: string, name: string, ...given: unknown[]): Remedy => ({
  label,
  command: `compactChat.ui.${name}`,
  given,
});
const showLog: Help = (t) => ours(t("Show Log"), "showLog");
const anotherChat: Help = (t, { isMeasuring }) =>
  ours(t("Choose Another Chat…"), isMeasuring ? "pickChat" : "compactAnother");
const onDraft = (label: string, name: string, about: Case["about"]): Remedy =>
  about === undefined ? ours(label, name) : ours(label, name, about);
const compactAgain: Help = (t) => ours(t("Compact Again"), "compact");
const copyInstead: Help = (t, { about }) => onDraft(t("Copy Message"), "copy", about);
const choosePython: Help = (t) => ours(t("Choose Python…"), "setUp", true);
const setApiKey: Help = (t) => ours(t("Set API Key…"), "setApiKey");
const chooseModel: Help = (t) => ours(t("Choose Model…"), "chooseModel");
const meterSettings: Help = (t) => ({
  label: t("Open Settings"),
  command: "workbench.action.openSettings",
  given: [{ query: "@id:compactChat.meter.show" }],
});
const settings: Help = (t, { isRemote }) => ({
  label: t("Open Settings"),
  command: isRemote ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings",
  given: [{ query: "@id:compactChat.interpreter,compactChat.server.path" }],
});

const HELP: Readonly<Record<string, Help>> = {
  parseError: showLog,
  invalidRequest: showLog,
  tokenRefused: showLog,
  methodNotFound: showLog,
  invalidParams: showLog,
  notInitialized: showLog,
  internal: showLog,
  chatNotFound: anotherChat,
  chatUnreadable: anotherChat,
  tooLarge: anotherChat,
  nothingToCompact: anotherChat,
  nothingToCheck: (t) => ours(t("Compact Chat"), "compact"),
  noGain: anotherChat,
  messageNotFound: compactAgain,
  planOutdated: compactAgain,
  noSummary: chooseModel,
  emptySummary: chooseModel,
  noSections: chooseModel,
  noConsent: chooseModel,
  otherModel: chooseModel,
  providerFailed: (t, found) => (isAboutKey(found.data) ? setApiKey : chooseModel)(t, found),
  noModel: (t, found) => (takesKeys(found) ? setApiKey : chooseModel)(t, found),
  modelMissing: chooseModel,
  noPanel: copyInstead,
  noSession: copyInstead,
  noPlace: copyInstead,
  cannotWrite: copyInstead,
  fileExists: (t) => ours(t("Show History"), "history"),
  draftOutdated: (t) => ours(t("Show History"), "history"),
  nothingCopied: anotherChat,
  compactionNotFound: (t) => ours(t("Show History"), "history"),
  noFile: (t) => ours(t("Choose Another Chat…"), "pickChat"),
  meterHidden: meterSettings,
  noMessage: compactAgain,
  noPage: (t) => ours(t("Compact Chat"), "compact"),
  notSetUp: (t) => ours(t("Set Up…"), "setUp"),
  cannotInstall: (t) => ours(t("Try Again"), "setUp"),
  noPython: choosePython,
  oldPython: choosePython,
  unfitPython: choosePython,
  wrongServer: settings,
  unexplained: showLog,
  serverFailed: (t) => ours(t("Restart Server"), "restart"),
  notTrusted: (t) => ({ label: t("Manage Workspace Trust"), command: "workbench.trust.manage" }),
};

/** The kinds that have a remedy of their own. */
export const KINDS: readonly string[] = Object.keys(HELP);

/** Gives the button for a fault; the log helps where nothing else does. */
export function remedyFor({ kind, data }: Fault, t: Translate, circumstances: Circumstances = {}): Remedy {
  const help = isKnown(kind) ? HELP[kind] : undefined;
  return (help ?? showLog)(t, { ...circumstances, data });
}

/** Says whether trying again cannot help a rewrite, since a key or another model is needed first. */
export function needsModel(fault: Fault): boolean {
  return NEEDS_MODEL.has(fault.kind) || (fault.kind === "providerFailed" && isAboutKey(fault.data));
}

/** Says whether a fault has a remedy of its own. */
export function isKnown(kind: string): boolean {
  return KINDS.includes(kind);
}

export function isCalm(fault: Fault): boolean {
  return CALM.has(fault.kind);
}

/** Gives the sentence for a person: of the attempts of providers what failed last, of all others what they say. */
export function sentenceOf(fault: Fault): string {
  const detail = fault.kind === "providerFailed" ? lastFailure(fault.data)?.detail : undefined;
  const sentence = typeof detail === "string" && detail !== "" ? detail : fault.message;
  return withoutLinks(sentence);
}

interface Attempted {
  readonly provider?: unknown;
  readonly outcome?: unknown;
  readonly detail?: unknown;
  readonly kind?: unknown;
}

function lastFailure({ attempts }: Fault["data"]): Attempted | undefined {
  const all = Array.isArray(attempts) ? (attempts as Attempted[]) : [];
  return all.findLast(({ outcome }) => outcome === "failed" || outcome === "rejected") ?? all.at(-1);
}

/** A key is of no use where the settings keep to the editor's models, or to none. */
function takesKeys({ provider }: Case): boolean {
  return provider !== "editor" && provider !== "offline";
}

function isAboutKey(data: Fault["data"]): boolean {
  const failure = lastFailure(data);
  return failure?.provider === "anthropic" && failure.kind === "auth";
}

/** Shows a problem, without waiting until it is read; what a person stopped is no problem. With the page that it is about, the button acts on that one; what the meter met is helped by another chat to measure. */
export async function complain(
  house: House,
  problem: unknown,
  about?: vscode.Uri | string,
  isMeasuring = false,
): Promise<void> {
  if (isCancelled(problem) || problem instanceof vscode.CancellationError) {
    return;
  }
  const fault = problem instanceof Fault ? problem : unexpected(house, problem);
  const provider = vscode.workspace.getConfiguration("compactChat").get("provider");
  const isRemote = vscode.env.remoteName !== undefined;
  const remedy = remedyFor(fault, vscode.l10n.t, { isRemote, about, isMeasuring, provider });
  const show = isCalm(fault) ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
  void show(sentenceOf(fault), remedy.label).then((answer) => {
    if (answer === remedy.label) {
      void vscode.commands.executeCommand(remedy.command, ...(remedy.given ?? []));
    }
  });
}

/** Logs where it happened, but not the message, which may hold text of a chat. */
function unexpected({ log }: House, problem: unknown): Fault {
  const { name, code, stack }: Error & { code?: unknown } = problem instanceof Error ? problem : new Error();
  const places = (stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  log.error([typeof code === "string" ? `${name} ${code}` : name, ...places].join("\n"));
  return new Fault("internal", vscode.l10n.t("Something went wrong in the extension; the log tells where."));
}
