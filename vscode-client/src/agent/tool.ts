/** The tool with which an agent asks about its own context. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "../faults";
import type { House, Improver } from "../house";
import { act } from "./acting";
import { unclearAnswer } from "./answers";
import { type Asked, readAsked } from "./asked";
import { sendingQuestion } from "./consent";
import { calledFrom } from "./which";

const NAME = "compact_chat";

/** The models that the user was asked about; one that came up since then gets nothing. */
type AskedAbout = Set<string>;

export function provideTool(house: House): vscode.Disposable {
  const allowed: AskedAbout = new Set();
  return vscode.lm.registerTool(NAME, {
    prepareInvocation: (options, token) => prepared(house, allowed, options, token),
    invoke: async (options, token) => {
      const text = await answer(house, allowed, options, token);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  } satisfies vscode.LanguageModelTool<unknown>);
}

/** A fault is reported in the answer, so that the agent's turn continues. */
async function answer(
  house: House,
  allowed: AskedAbout,
  options: vscode.LanguageModelToolInvocationOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<string> {
  const asked = readAsked(options.input);
  if (!asked) {
    return unclearAnswer();
  }
  try {
    const chat = await calledFrom(house, options.toolInvocationToken, token);
    const improver = asked.model ? await improverOf(house) : undefined;
    return await act(house, chat, asked, improver && allowed.has(keyOf(improver)) ? improver : undefined, token);
  } catch (problem) {
    return told(house, problem);
  }
}

function told(house: House, problem: unknown): string {
  if (isCancelled(problem)) {
    return "This was stopped.";
  }
  if (problem instanceof Fault) {
    return problem.message;
  }
  house.log.error(`The tool of the agent failed: ${problem instanceof Error ? problem.name : typeof problem}`);
  return "Compact Chat failed to answer.";
}

async function prepared(
  house: House,
  allowed: AskedAbout,
  options: vscode.LanguageModelToolInvocationPrepareOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<vscode.PreparedToolInvocation> {
  const asked = readAsked(options.input);
  const improver = asked?.model ? await improverOf(house).catch(() => undefined) : undefined;
  if (!improver) {
    return { invocationMessage: doing(asked) };
  }
  allowed.add(keyOf(improver));
  const confirmationMessages = await sendingQuestion(house, improver, callerOf(options), token);
  return { invocationMessage: doing(asked), confirmationMessages };
}

/** Who would write: no one if that cannot be determined, but a missing model is reported. */
async function improverOf({ models }: House): Promise<Improver | undefined> {
  try {
    return await models.improver();
  } catch (problem) {
    if (problem instanceof Fault && problem.kind === "modelMissing") {
      throw problem;
    }
    return undefined;
  }
}

function keyOf(improver: Improver): string {
  return JSON.stringify(improver);
}

function doing(asked: Asked | undefined): string {
  return asked?.action === "summarize"
    ? vscode.l10n.t("Summarising this chat")
    : vscode.l10n.t("Measuring this chat's context");
}

/** The editor passes the asking chat, though its types do not say so. */
function callerOf(options: object): unknown {
  return { sessionResource: "chatSessionResource" in options ? options.chatSessionResource : undefined };
}
