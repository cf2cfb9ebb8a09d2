/** The tool with which an agent asks about its own context. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "../faults";
import type { House } from "../house";
import { act } from "./acting";
import { unclearAnswer } from "./answers";
import { type Asked, readAsked } from "./asked";
import { sendingQuestion } from "./consent";
import { calledFrom } from "./which";

const NAME = "compact_chat";

export function provideTool(house: House): vscode.Disposable {
  return vscode.lm.registerTool(NAME, {
    prepareInvocation: (options, token) => prepared(house, options, token),
    invoke: async (options, token) => {
      const text = await answer(house, options, token);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  } satisfies vscode.LanguageModelTool<unknown>);
}

/** A fault is told in the answer, so that the agent's turn goes on. */
async function answer(
  house: House,
  options: vscode.LanguageModelToolInvocationOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<string> {
  const asked = readAsked(options.input);
  if (!asked) {
    return unclearAnswer();
  }
  try {
    return await act(house, await calledFrom(house, options.toolInvocationToken, token), asked, token);
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
  options: vscode.LanguageModelToolInvocationPrepareOptions<unknown>,
  token: vscode.CancellationToken,
): Promise<vscode.PreparedToolInvocation> {
  const asked = readAsked(options.input);
  const improver = asked?.model ? await house.models.improver() : undefined;
  return {
    invocationMessage: doing(asked),
    ...(improver && { confirmationMessages: await sendingQuestion(house, improver, callerOf(options), token) }),
  };
}

function doing(asked: Asked | undefined): string {
  return asked?.action === "summarize"
    ? vscode.l10n.t("Summarising this chat")
    : vscode.l10n.t("Measuring this chat's context");
}

/** The editor tells which chat asks, though its types do not say so. */
function callerOf(options: object): unknown {
  return { sessionResource: "chatSessionResource" in options ? options.chatSessionResource : undefined };
}
