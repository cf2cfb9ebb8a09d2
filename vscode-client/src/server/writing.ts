/** Has a model of the editor's write, and hears what it says while it does. */

import * as vscode from "vscode";

export interface Assignment {
  readonly messages: readonly { readonly content: { readonly text: string } }[];
  readonly systemPrompt?: string;
  readonly justification?: string;
}

export interface Written {
  readonly text: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** There is no role for systems, so that the instructions stand first in the message. */
export async function write(
  model: vscode.LanguageModelChat,
  { messages, systemPrompt, justification }: Assignment,
  tell: (text: string) => void,
  token: vscode.CancellationToken,
): Promise<Written> {
  const texts = [systemPrompt ?? "", ...messages.map(({ content }) => content.text)].filter((text) => text !== "");
  const message = vscode.LanguageModelChatMessage.User(texts.join("\n\n"));
  const response = await model.sendRequest([message], justification ? { justification } : {}, token);
  return heard(response.stream, tell, token);
}

async function heard(
  stream: AsyncIterable<unknown>,
  tell: (text: string) => void,
  token: vscode.CancellationToken,
): Promise<Written> {
  let [text, usage]: [string, Written["usage"]] = ["", undefined];
  for await (const part of stream) {
    expectGoingOn(token);
    if (part instanceof vscode.LanguageModelTextPart) {
      text += part.value;
      tell(part.value);
    } else {
      usage = usageIn(part) ?? usage;
    }
  }
  expectGoingOn(token);
  return { text, usage };
}

/** A stream that was stopped may just end, and what came of it would pass for the whole. */
function expectGoingOn(token: vscode.CancellationToken): void {
  if (token.isCancellationRequested) {
    throw new vscode.CancellationError();
  }
}

/** Some providers tell what a request cost, as a part of JSON. */
function usageIn(part: unknown): Written["usage"] {
  const { mimeType, data } = (part ?? {}) as { mimeType?: unknown; data?: unknown };
  if (mimeType !== "usage" || !(data instanceof Uint8Array)) {
    return undefined;
  }
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = parsed(data);
  const isCount = (value: unknown): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 0;
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined;
}

function parsed(data: Uint8Array): Record<string, unknown> {
  try {
    return (JSON.parse(new TextDecoder().decode(data)) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
