/** The server's requests to its host: which models there are, what one of them writes, and the stored key. */

import * as vscode from "vscode";
import type { Methods, Running } from "../../page/port";
import { Fault } from "../faults";
import { editorModels, KEY_NAME } from "./models";

interface Question {
  readonly model?: string | null;
  readonly messages: readonly { readonly content: { readonly text: string } }[];
  readonly systemPrompt?: string;
  readonly justification?: string;
  readonly userInitiated?: boolean;
}

type Reason = "noModel" | "noConsent" | "blocked" | "notFound" | "tooLong" | "failed";

const KEEP_ALIVE_MS = 10_000;
const CANCELLED = "The request was cancelled.";
const BY_CODE: Readonly<Record<string, Reason>> = {
  NoPermissions: "noConsent",
  Blocked: "blocked",
  NotFound: "notFound",
};
/** Vendors word these errors differently. */
const TOO_LONG =
  /too long|context[ _-]?(length|window)|(maximum|max)\b.{0,40}\btokens|token limit|too many (input )?tokens|exceed\w*.{0,40}\b(tokens|limit)/i;
const BLOCKED = /rate.?limit|quota|too many requests|\b429\b/i;

/** The methods that the server may call. */
export function hostMethods(context: vscode.ExtensionContext): Methods {
  return {
    "compactChat/languageModels": async () => ({
      models: (await editorModels()).map((model) => {
        const { id, name, maxInputTokens } = model;
        return { id, name, maxInputTokens, consent: mayAsk(context, model) };
      }),
    }),
    "compactChat/languageModel": (question: Question, running) => answered(context, question, running),
    "compactChat/secret": async ({ name }: { name: string }) => ({
      value: name === KEY_NAME ? ((await context.secrets.get(KEY_NAME)) ?? null) : null,
    }),
  };
}

async function answered(
  context: vscode.ExtensionContext,
  question: Question,
  { signal, text: tell }: Running,
): Promise<unknown> {
  const models = await editorModels();
  if (signal.aborted) {
    throw new Fault("cancelled", CANCELLED);
  }
  const model = question.model ? models.find(({ id }) => id === question.model) : models[0];
  if (model === undefined) {
    throw refusal(models.length === 0 ? "noModel" : "notFound");
  }
  if (!question.userInitiated && !mayAsk(context, model)) {
    throw refusal("noConsent");
  }
  // A sign of life while a model or a consent dialog is pending.
  const alive = setInterval(() => tell(""), KEEP_ALIVE_MS);
  const source = new vscode.CancellationTokenSource();
  signal.addEventListener("abort", () => source.cancel());
  try {
    const text = await write(model, question, tell, source.token);
    const content = { type: "text", text };
    return { role: "assistant", content, model: model.id, stopReason: "unknown" };
  } catch (problem) {
    const isStopped = signal.aborted || problem instanceof vscode.CancellationError;
    throw isStopped ? new Fault("cancelled", CANCELLED) : refusal(reasonOf(problem));
  } finally {
    clearInterval(alive);
    source.dispose();
  }
}

function refusal(reason: Reason): Fault {
  return new Fault("refused", `The editor's model was not asked, or did not answer: ${reason}.`, { reason });
}

/** Classify an error of the editor's language models, by its code or by its words and those of its cause. */
export function reasonOf(problem: unknown): Reason {
  const { code, message, cause } = (problem ?? {}) as { code?: unknown; message?: unknown; cause?: unknown };
  const known = typeof code === "string" ? BY_CODE[code] : undefined;
  if (known !== undefined) {
    return known;
  }
  const words = `${String(message ?? "")} ${String((cause as { message?: unknown } | undefined)?.message ?? "")}`;
  if (TOO_LONG.test(words)) {
    return "tooLong";
  }
  return BLOCKED.test(words) ? "blocked" : "failed";
}

/** Have a model write. There is no system role, so the instructions go first in the message. */
async function write(
  model: vscode.LanguageModelChat,
  { messages, systemPrompt, justification }: Question,
  tell: (text: string) => void,
  token: vscode.CancellationToken,
): Promise<string> {
  const texts = [systemPrompt ?? "", ...messages.map(({ content }) => content.text)].filter((text) => text !== "");
  const message = vscode.LanguageModelChatMessage.User(texts.join("\n\n"));
  const { stream } = await model.sendRequest([message], justification ? { justification } : {}, token);
  let text = "";
  for await (const part of stream) {
    expectNotStopped(token);
    if (part instanceof vscode.LanguageModelTextPart) {
      text += part.value;
      tell(part.value);
    }
  }
  expectNotStopped(token);
  return text;
}

/** A cancelled stream may just end, and its text would look like a whole reply. */
function expectNotStopped(token: vscode.CancellationToken): void {
  if (token.isCancellationRequested) {
    throw new vscode.CancellationError();
  }
}

/** Return whether a model may be asked without a question to the user. */
function mayAsk({ languageModelAccessInformation }: vscode.ExtensionContext, model: vscode.LanguageModelChat): boolean {
  return languageModelAccessInformation.canSendRequest(model) === true;
}
