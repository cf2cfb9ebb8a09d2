/** How each kind of fault is shown: as information or error, with one button. */

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

/** Kinds that are shown as information, not as errors. */
const CALM: ReadonlySet<string> = new Set([
  ...["meterHidden", "modelMissing", "noFile", "nothingCopied", "noGain", "noMessage", "noModel", "noPage", "noPanel"],
  ...["noPlace", "otherModel", "nothingCompacted", "nothingToCheck", "nothingToCompact", "notSetUp", "notTrusted"],
]);

/** The button for a fault; by default it shows the log. Without `about` it acts on what is in front when pressed. */
export function remedyFor({ kind, data }: Fault, about?: vscode.Uri | string, isMeasuring = false): Remedy {
  const isOfMachine = vscode.env.remoteName !== undefined; // which has a settings page of its own
  const chooseModel = ours(t("Choose Model…"), "chooseModel");
  const provider = vscode.workspace.getConfiguration("compactChat").get("provider");
  const takesKey = provider !== "editor" && provider !== "offline";
  const needsKey = kind === "noModel" ? takesKey : isAboutKey(data);
  const keyOrModel = needsKey ? ours(t("Set API Key…"), "setApiKey") : chooseModel;
  const copy = ours(t("Copy Message"), "copy", ...(about === undefined ? [] : [about]));
  const another = ours(t("Choose Another Chat…"), isMeasuring ? "pickChat" : "compactAnother");
  const remedies: readonly (readonly [Remedy, ...string[]])[] = [
    [another, "chatNotFound", "chatUnreadable", "tooLarge", "nothingToCompact", "noGain", "nothingCopied"],
    [ours(t("Compact Again"), "compact"), "messageNotFound", "planOutdated", "noMessage"],
    [ours(t("Compact Chat"), "compact"), "nothingToCheck", "nothingCompacted", "noPage"],
    [copy, "noPanel", "noSession", "noPlace", "cannotWrite"],
    [ours(t("Show History"), "history"), "fileExists", "draftOutdated", "compactionNotFound"],
    [chooseModel, "noSummary", "emptySummary", "noSections", "noConsent", "otherModel", "modelMissing", "modelsLate"],
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

/** Whether a rewrite needs a key or another model before it is tried again. */
export function needsModel({ kind, data }: Fault): boolean {
  return ["noModel", "modelMissing", "otherModel"].includes(kind) || (kind === "providerFailed" && isAboutKey(data));
}

/** Whether the key was refused by the last model that was asked. */
function isAboutKey({ attempts }: Fault["data"]): boolean {
  const all = Array.isArray(attempts) ? (attempts as Partial<Attempt>[]) : [];
  const last = all.findLast(({ outcome }) => outcome === "failed" || outcome === "rejected") ?? all.at(-1);
  return last?.provider === "anthropic" && last.kind === "auth";
}

/** Shows a problem, unless the user cancelled. `isMeasuring`: it comes from the meter, not from a command. */
export function complain(house: House, problem: unknown, about?: vscode.Uri | string, isMeasuring = false): void {
  const isStopped = problem instanceof Fault && problem.kind === "cancelled";
  if (isStopped || problem instanceof vscode.CancellationError) {
    return;
  }
  const fault = faultOf(house, problem);
  const remedy = remedyFor(fault, about, isMeasuring);
  const show = CALM.has(fault.kind) ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
  void show(withoutLinks(fault.message), remedy.label).then((answer) => {
    if (answer === remedy.label) {
      void vscode.commands.executeCommand(remedy.command, ...(remedy.given ?? []));
    }
  });
}

/** Turns any problem into a fault. An unexpected one is logged without its message, which may contain text of a chat. */
export function faultOf({ log }: House, problem: unknown): Fault {
  if (problem instanceof Fault) {
    return problem;
  }
  const { name, code, stack }: Error & { code?: unknown } = problem instanceof Error ? problem : new Error();
  const places = (stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  log.error([typeof code === "string" ? `${name} ${code}` : name, ...places].join("\n"));
  return new Fault("internal", t("Something went wrong in the extension. See the log."));
}
