/** Read-only texts: the original of a compacted chat, and what a tool's own last compaction is missing. */

import * as vscode from "vscode";
import { classTitle } from "../../page/words";
import { Fault } from "../faults";
import { type Commands, type House, type NamedChat, refOf } from "../house";
import { patiently } from "../patience";
import { fileName } from "../screen/drafts";
import type { Checked, Lost, MessageText, Transcript } from "../wire";
import { chatTitle, label, named, t, toolName } from "../words";
import type { Undoable } from "./sessions";

const SCHEME = "compact-chat-original";
const LONGEST_TITLE = 100;

/** The query of a text's address, from which it can be loaded again. */
interface Query {
  readonly compactionId?: string;
  readonly check?: string; // the address of a chat
}

export function provideTexts(house: House): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async ({ query }) => {
      try {
        const { compactionId, check } = JSON.parse(query) as Query;
        return compactionId === undefined
          ? missingText(await house.server.ask("check", { chat: { uri: check ?? null } }))
          : transcriptText(await house.server.ask("transcript", { compactionId }));
      } catch (problem) {
        return problem instanceof Fault ? problem.message : t("This text cannot be shown now.");
      }
    },
  });
}

/** Shows the transcript, which needs nothing but the archive. */
export async function showOriginal({ compactionId, title }: Undoable): Promise<void> {
  await show(t("Original of {0}", chatTitle(title)), { compactionId });
}

async function show(title: string, query: Query): Promise<void> {
  const path = `/${fileName(title)}.md`;
  const uri = vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(query) });
  await vscode.window.showTextDocument(uri, { preview: true });
}

export function reviewCommands(house: House): Commands {
  return {
    checkLast: (given?: NamedChat) => reviewLast(house, given),
    copyLost: async (given?: NamedChat) => copyBack((await checked(house, given)).lost),
  };
}

/** Shows what the last compaction by the chat's own tool is missing, and offers to copy it. */
async function reviewLast(house: House, given?: NamedChat): Promise<void> {
  const { chat, lost } = await checked(house, given);
  if (chat === undefined) {
    return;
  }
  const tool = toolName(chat.tool) ?? t("The tool");
  if (lost.length === 0) {
    void vscode.window.showInformationMessage(t("Nothing is missing from the last compaction by {0}.", tool));
    return;
  }
  if (chat.uri) {
    await show(t("Missing from {0}", chatTitle(chat.title)), { check: chat.uri });
  }
  const sentence =
    lost.length === 1
      ? t("1 item is missing from the last compaction by {0}.", tool)
      : t("{0} items are missing from the last compaction by {1}.", lost.length, tool);
  const copy = t("Copy Back");
  if ((await vscode.window.showInformationMessage(sentence, copy)) === copy) {
    await copyBack(lost);
  }
}

/** What the last compaction of a chat is missing; empty if no chat is chosen. */
async function checked(house: House, given?: NamedChat): Promise<{ chat: NamedChat | undefined; lost: Lost[] }> {
  const chat = given ?? (await house.chats.wanted());
  if (!chat) {
    return { chat, lost: [] };
  }
  const check = (signal: AbortSignal) => house.server.ask("check", { chat: refOf(chat) }, { signal });
  const { survival } = await patiently(t("Checking the last compaction"), check).catch((problem) => {
    if (problem instanceof Fault && problem.kind === "nothingToCompact") {
      throw new Fault("nothingToCheck", problem.message);
    }
    throw problem;
  });
  return { chat, lost: survival.classes.flatMap((one) => one.lost) };
}

async function copyBack(lost: readonly Lost[]): Promise<void> {
  if (lost.length > 0) {
    const heading = t("The last compaction of this chat is missing these. They still apply:");
    await vscode.env.clipboard.writeText(`${heading}\n\n${lost.map(({ text }) => asItem(text)).join("\n")}\n`);
    vscode.window.setStatusBarMessage(t("Copied. Paste it into the chat."), 4000);
  }
}

function asItem(text: string): string {
  return `- ${text.trim().replaceAll("\n", "\n  ")}`;
}

function missingText({ survival }: Checked): string {
  const classes = survival.classes.filter(({ lost }) => lost.length > 0);
  const parts = classes.map(({ name, total, kept, lost }) => {
    return `## ${named(classTitle(name))} (${total - kept}/${total})\n\n${lost.map(({ text }) => asItem(text)).join("\n")}\n`;
  });
  return [`# ${t("Missing from the last compaction")}\n`, ...parts].join("\n");
}

function transcriptText({ title, messages }: Transcript): string {
  const heading = chatTitle(title, LONGEST_TITLE);
  return [`# ${heading}\n`, ...messages.map(messageText)].join("\n");
}

function messageText({ index, role, kind, text }: MessageText): string {
  const special: Readonly<Record<string, string>> = {
    summary: t("summary of earlier messages"),
    toolResult: t("tool result"),
    toolCall: t("assistant, calling a tool"),
  };
  return `## ${index + 1} · ${special[kind] ?? label(role, 40)}\n\n${text}\n`;
}
