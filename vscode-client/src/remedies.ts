/** What helps against each kind of fault: one button, and how loud the sentence is. */

import * as vscode from "vscode";
import { Fault } from "./faults";
import type { House } from "./house";
import type { Attempt } from "./wire";
import { t, withoutLinks } from "./words";

export interface Remedy {
  readonly label: string;
  readonly command: string;
  readonly given?: readonly unknown[];
}

/** Kinds that tell how things are, rather than that something went wrong. */
const CALM: ReadonlySet<string> = new Set([
  ...["meterHidden", "modelMissing", "noFile", "nothingCopied", "noGain", "noMessage", "noModel", "noPage", "noPanel"],
  ...["noPlace", "otherModel", "nothingCompacted", "nothingToCheck", "nothingToCompact", "notSetUp", "notTrusted"],
]);

/** Gives the button for a fault; against what nothing else helps, it is the log. Without what it is about, the button acts on what is in front when it is pressed. */
export function remedyFor({ kind, data }: Fault, about?: vscode.Uri | string, isMeasuring = false): Remedy {
  const isOfMachine = vscode.env.remoteName !== undefined; // its settings stand on a page of their own
  const chooseModel = ours(t("Choose Model…"), "chooseModel");
  const keyOrModel = needsKey(kind, data) ? ours(t("Set API Key…"), "setApiKey") : chooseModel;
  const copy = ours(t("Copy Message"), "copy", ...(about === undefined ? [] : [about]));
  const another = ours(t("Choose Another Chat…"), isMeasuring ? "pickChat" : "compactAnother");
  const remedies: readonly (readonly [Remedy, ...string[]])[] = [
    [another, "chatNotFound", "chatUnreadable", "tooLarge", "nothingToCompact", "noGain", "nothingCopied"],
    [ours(t("Compact Again"), "compact"), "messageNotFound", "planOutdated", "noMessage"],
    [ours(t("Compact Chat"), "compact"), "nothingToCheck", "nothingCompacted", "noPage"],
    [copy, "noPanel", "noSession", "noPlace", "cannotWrite"],
    [ours(t("Show History"), "history"), "fileExists", "draftOutdated", "compactionNotFound"],
    [chooseModel, "noSummary", "emptySummary", "noSections", "noConsent", "otherModel", "modelMissing"],
    [keyOrModel, "providerFailed", "noModel"],
    [ours(t("Choose Another Chat…"), "pickChat"), "noFile"],
    [settings("compactChat.meter.show", false), "meterHidden"],
    [ours(t("Set Up…"), "setUp"), "notSetUp"],
    [ours(t("Try Again"), "setUp"), "cannotInstall"],
    [ours(t("Choose Python…"), "setUp", true), "noPython", "oldPython", "unfitPython"],
    [settings("compactChat.interpreter,compactChat.server.path", isOfMachine), "wrongServer"],
    [ours(t("Restart Server"), "restart"), "serverFailed"],
    [{ label: t("Manage Workspace Trust"), command: "workbench.trust.manage" }, "notTrusted"],
  ];
  const [remedy] = remedies.find(([, ...kinds]) => kinds.includes(kind)) ?? [];
  return remedy ?? ours(t("Show Log"), "showLog");
}

function ours(label: string, name: string, ...given: unknown[]): Remedy {
  return { label, command: `compactChat.ui.${name}`, given };
}

function settings(ids: string, isOfMachine: boolean): Remedy {
  const command = isOfMachine ? "workbench.action.openRemoteSettings" : "workbench.action.openSettings";
  return { label: t("Open Settings"), command, given: [{ query: `@id:${ids}` }] };
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

/** Shows a problem, without waiting until it is read; what a person stopped is no problem. `isMeasuring`: the meter met it, rather than a command that was to compact. */
export function complain(house: House, problem: unknown, about?: vscode.Uri | string, isMeasuring = false): void {
  const isStopped = problem instanceof Fault && problem.kind === "cancelled";
  if (isStopped || problem instanceof vscode.CancellationError) {
    return;
  }
  const fault = faultOf(house, problem);
  const remedy = remedyFor(fault, about, isMeasuring);
  const show = CALM.has(fault.kind) ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
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
  return new Fault("internal", t("Something went wrong in the extension; the log tells where."));
}
