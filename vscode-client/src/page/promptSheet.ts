/** The text of a request to a model, as a document to read before it is sent. */

import type { Prompt } from "../wire";
import type { L10n } from "../words";
import { Sheet } from "./sheet";

export function promptSheet({ system, messages }: Prompt, calls: number, l10n: L10n): Sheet {
  const sheet = new Sheet().add(`# ${l10n.t("This is what is sent, word for word")}`, "");
  if (calls > 1) {
    sheet.add(l10n.t("The chat is sent in {0} parts; this is the request if it fitted into one.", calls), "");
  }
  if (system) {
    sheet.add(`## ${l10n.t("System prompt")}`, "", ...system.split("\n"), "");
  }
  for (const message of messages) {
    sheet.add(`## ${l10n.t("Message")}`, "", ...textOf(message.content).split("\n"), "");
  }
  return sheet;
}

function textOf(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => (isText(block) ? block.text : JSON.stringify(block))).join("\n");
}

function isText(block: unknown): block is { text: string } {
  return typeof block === "object" && block !== null && "text" in block && typeof block.text === "string";
}
