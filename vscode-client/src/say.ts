/** Reports a problem to the user: one sentence, and one button that helps. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "./faults";
import type { House } from "./house";
import { isCalm, remedyFor, sentenceOf } from "./remedies";

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
  const page = about === undefined ? undefined : await house.pages.of(about).catch(() => undefined);
  const provider = vscode.workspace.getConfiguration("compactChat").get("provider");
  const isRemote = vscode.env.remoteName !== undefined;
  const remedy = remedyFor(fault, vscode.l10n.t, { isRemote, page, isMeasuring, provider });
  const show = isCalm(fault) ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
  void show(sentenceOf(fault), remedy.label).then((answer) => {
    if (answer === remedy.label) {
      void vscode.commands.executeCommand(remedy.command, ...(remedy.given ?? []));
    }
  });
}

/** Logs where it happened, but not what was said: a message may hold text of a chat. */
function unexpected({ log }: House, problem: unknown): Fault {
  const { name, code, stack }: Error & { code?: unknown } = problem instanceof Error ? problem : new Error();
  const places = (stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  log.error([typeof code === "string" ? `${name} ${code}` : name, ...places].join("\n"));
  return new Fault("internal", vscode.l10n.t("Something went wrong in the extension; the log tells where."));
}
