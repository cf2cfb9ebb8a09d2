/** What helps against each kind of fault: one button, and how loud the sentence is. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "./faults";
import type { House } from "./house";
import type { Attempt } from "./wire";
import { withoutLinks } from "./words";

export interface Remedy {
  readonly label: string;
  readonly command: string;
  readonly given?: readonly unknown[];
}

/** What a problem is about: without it, a button acts on what is in front when it is pressed. */
export interface Circumstances {
  readonly about?: vscode.Uri | string | undefined;
  /** Whether the meter met it, rather than a command that was to compact. */
  readonly isMeasuring?: boolean;
}

/** Kinds by what helps against them. */
const HELPED: Readonly<Record<string, readonly string[]>> = {
  log: [
    "parseError",
    "invalidRequest",
    "tokenRefused",
    "methodNotFound",
    "invalidParams",
    "notInitialized",
    "internal",
    "unexplained",
  ],
  anotherChat: ["chatNotFound", "chatUnreadable", "tooLarge", "nothingToCompact", "noGain", "nothingCopied"],
  compactAgain: ["messageNotFound", "planOutdated", "noMessage"],
  compact: ["nothingToCheck", "noPage"],
  copy: ["noPanel", "noSession", "noPlace", "cannotWrite"],
  history: ["fileExists", "draftOutdated", "compactionNotFound"],
  model: ["noSummary", "emptySummary", "noSections", "noConsent", "otherModel", "modelMissing"],
  keyOrModel: ["providerFailed", "noModel"],
  pick: ["noFile"],
  meter: ["meterHidden"],
  setUp: ["notSetUp"],
  tryAgain: ["cannotInstall"],
  python: ["noPython", "oldPython", "unfitPython"],
  settings: ["wrongServer"],
  restart: ["serverFailed"],
  trust: ["notTrusted"],
};

/** Kinds that tell how things are, rather than that something went wrong. */
const CALM: ReadonlySet<string> = new Set([
  ...["meterHidden", "modelMissing", "noFile", "nothingCopied", "noGain", "noMessage", "noModel", "noPage", "noPanel"],
  ...["noPlace", "otherModel", "nothingToCheck", "nothingToCompact", "notSetUp", "notTrusted"],
]);

/** The kinds that have a remedy of their own. */
export const KINDS: readonly string[] = Object.values(HELPED).flat();

/** Gives the button for a fault; the log helps where nothing else does. */
export function remedyFor({ kind, data }: Fault, { about, isMeasuring }: Circumstances = {}): Remedy {
  const { t } = vscode.l10n;
  const [help] = Object.entries(HELPED).find(([, kinds]) => kinds.includes(kind)) ?? [];
  switch (help) {
    case "anotherChat":
      return ours(t("Choose Another Chat…"), isMeasuring ? "pickChat" : "compactAnother");
    case "compactAgain":
      return ours(t("Compact Again"), "compact");
    case "compact":
      return ours(t("Compact Chat"), "compact");
    case "copy":
      return ours(t("Copy Message"), "copy", ...(about === undefined ? [] : [about]));
    case "history":
      return ours(t("Show History"), "history");
    case "model":
      return ours(t("Choose Model…"), "chooseModel");
    case "keyOrModel":
      return needsKey(kind, data) ? ours(t("Set API Key…"), "setApiKey") : ours(t("Choose Model…"), "chooseModel");
    case "pick":
      return ours(t("Choose Another Chat…"), "pickChat");
    case "meter":
      return settings("compactChat.meter.show", false);
    case "setUp":
      return ours(t("Set Up…"), "setUp");
    case "tryAgain":
      return ours(t("Try Again"), "setUp");
    case "python":
      return ours(t("Choose Python…"), "setUp", true);
    case "settings":
      return settings("compactChat.interpreter,compactChat.server.path", vscode.env.remoteName !== undefined);
    case "restart":
      return ours(t("Restart Server"), "restart");
    case "trust":
      return { label: t("Manage Workspace Trust"), command: "workbench.trust.manage" };
    default:
      return ours(t("Show Log"), "showLog");
  }
}

function ours(label: string, name: string, ...given: unknown[]): Remedy {
  return { label, command: `compactChat.ui.${name}`, given };
}

/** Where a window is remote, settings of the machine stand on a page of their own. */
function settings(ids: string, isOfMachine: boolean): Remedy {
  const command = isOfMachine ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings";
  return { label: vscode.l10n.t("Open Settings"), command, given: [{ query: `@id:${ids}` }] };
}

/** A key is of no use where the settings keep to the editor's models, or to none. */
function needsKey(kind: string, data: Fault["data"]): boolean {
  const provider = vscode.workspace.getConfiguration("compactChat").get("provider");
  return kind === "noModel" ? provider !== "editor" && provider !== "offline" : isAboutKey(data);
}

/** Says whether trying again cannot help a rewrite, since a key or another model is needed first. */
export function needsModel({ kind, data }: Fault): boolean {
  return ["noModel", "modelMissing", "otherModel"].includes(kind) || (kind === "providerFailed" && isAboutKey(data));
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

function lastFailure({ attempts }: Fault["data"]): Partial<Attempt> | undefined {
  const all = Array.isArray(attempts) ? (attempts as Partial<Attempt>[]) : [];
  return all.findLast(({ outcome }) => outcome === "failed" || outcome === "rejected") ?? all.at(-1);
}

function isAboutKey(data: Fault["data"]): boolean {
  const failure = lastFailure(data);
  return failure?.provider === "anthropic" && failure.kind === "auth";
}

/** Shows a problem, without waiting until it is read; what a person stopped is no problem. */
export function complain(house: House, problem: unknown, about?: vscode.Uri | string, isMeasuring = false): void {
  if (isCancelled(problem) || problem instanceof vscode.CancellationError) {
    return;
  }
  const fault = faultOf(house, problem);
  const remedy = remedyFor(fault, { about, isMeasuring });
  const show = isCalm(fault) ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
  void show(sentenceOf(fault), remedy.label).then((answer) => {
    if (answer === remedy.label) {
      void vscode.commands.executeCommand(remedy.command, ...(remedy.given ?? []));
    }
  });
}

/** Gives what is known of a problem; of one that nobody expected the log says where it happened, but not its message, which may hold text of a chat. */
export function faultOf({ log }: House, problem: unknown): Fault {
  if (problem instanceof Fault) {
    return problem;
  }
  const { name, code, stack }: Error & { code?: unknown } = problem instanceof Error ? problem : new Error();
  const places = (stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  log.error([typeof code === "string" ? `${name} ${code}` : name, ...places].join("\n"));
  return new Fault("internal", vscode.l10n.t("Something went wrong in the extension; the log tells where."));
}
