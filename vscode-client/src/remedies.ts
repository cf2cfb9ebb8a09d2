/** What helps against each kind of fault: one button, and how loud the sentence is. */

import type { Fault, Translate } from "./faults";
import type { Page } from "./house";
import { withoutLinks } from "./words";

export interface Remedy {
  readonly label: string;
  readonly command: string;
  readonly given?: readonly unknown[];
}

/** Kinds that tell how things are, rather than that something went wrong. */
const CALM: ReadonlySet<string> = new Set([
  "busy",
  "meterHidden",
  "modelMissing",
  "noFile",
  "noFolder",
  "noGain",
  "noMessage",
  "noModel",
  "noPage",
  "noPanel",
  "noProject",
  "otherModel",
  "textOutdated",
  "nothingToCheck",
  "nothingToCompact",
  "notSetUp",
  "notTrusted",
]);

export interface Circumstances {
  /** Where a window is remote, settings of the machine stand on a page of their own. */
  readonly isRemote?: boolean;
  /** What a command was about; without it a button acts on what is in front when it is pressed. */
  readonly page?: Page | undefined;
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
const onPage = (label: string, name: string, page: Page | undefined): Remedy =>
  page === undefined ? ours(label, name) : ours(label, name, page.uri);
const compactAgain: Help = (t, { page }) => ours(t("Compact Again"), "compact", ...(page ? [page.chat] : []));
const improveAgain: Help = (t, { page }) => onPage(t("Try Again"), "improve", page);
const copyInstead: Help = (t, { page }) => onPage(t("Copy the Continuation"), "copy", page);
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
  draftOutdated: (t) => ours(t("Show History"), "history"),
  noSummary: improveAgain,
  emptySummary: improveAgain,
  noSections: improveAgain,
  noConsent: improveAgain,
  textOutdated: improveAgain,
  otherModel: improveAgain,
  providerFailed: (t, found) => (isAboutKey(found.data) ? setApiKey : improveAgain)(t, found),
  noModel: (t, found) => (takesKeys(found) ? setApiKey : chooseModel)(t, found),
  modelMissing: chooseModel,
  busy: (t, { page }) => onPage(t("Stop the Model"), "cancel", page),
  noPanel: copyInstead,
  noProject: copyInstead,
  cannotWrite: copyInstead,
  fileExists: (t, { page }) => onPage(t("Choose Another Name…"), "saveAsMarkdown", page),
  compactionNotFound: (t) => ours(t("Show History"), "history"),
  chatStands: (t) => ours(t("Show History"), "history"),
  folderGone: (t) => ours(t("Show History"), "history"),
  noFile: (t) => ours(t("Choose Another Chat…"), "pickChat"),
  meterHidden: meterSettings,
  noFolder: (t) => ({ label: t("Open Folder…"), command: "vscode.openFolder" }),
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

/** Says whether a fault has a remedy of its own. */
export function isKnown(kind: string): boolean {
  return KINDS.includes(kind);
}

export function isCalm(fault: Fault): boolean {
  return CALM.has(fault.kind);
}

/** The names that programs know formats by. */
const LIST_FOR_PROGRAMS = / \((?:[a-z-]+, ){5,}[a-z-]+\)/;

/** Gives the sentence for a person: of the attempts of providers what failed last, of all others what they say. */
export function sentenceOf(fault: Fault): string {
  const detail = fault.kind === "providerFailed" ? lastFailure(fault.data)?.detail : undefined;
  const told = typeof detail === "string" && detail !== "" ? detail : fault.message;
  return withoutLinks(told.replace(LIST_FOR_PROGRAMS, ""));
}

interface Attempted {
  readonly provider?: unknown;
  readonly outcome?: unknown;
  readonly detail?: unknown;
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
  return failure?.provider === "anthropic" && /\bkey\b/i.test(String(failure.detail ?? ""));
}
