/** Read-only texts: the original of a compacted chat, and what a tool's own last compaction is missing. */

import * as vscode from "vscode";
import { classTitle } from "../../page/words";
import { Fault } from "../faults";
import type { Commands, House, NamedChat } from "../house";
import { patiently } from "../patience";
import { fileName } from "../screen/drafts";
import type { Checked, Lost, MessageText, Transcript } from "../wire";
import { label, toolName } from "../words";
import type { Undoable } from "./sessions";

const SCHEME = "compact-chat-original";
const [LONGEST_MESSAGE, LONGEST_TITLE] = [100_000, 100]; // characters

/** What the address of a text says of it, so that it is there again after a reload. */
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
        return problem instanceof Fault ? problem.message : vscode.l10n.t("This text cannot be shown now.");
      }
    },
  });
}

/** Shows the transcript, which needs nothing but the archive. */
export async function showOriginal({ compactionId, title }: Undoable): Promise<void> {
  await show(vscode.l10n.t("Original of {0}", title ?? vscode.l10n.t("Untitled chat")), { compactionId });
}

async function show(title: string, query: Query): Promise<void> {
  const path = `/${fileName(title)}.md`;
  const uri = vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(query) });
  await vscode.window.showTextDocument(uri, { preview: true });
}

export function reviewCommands(house: House): Commands {
  return {
    checkLast: (given?: NamedChat) => reviewLast(house, given),
    copyLost: async (given?: NamedChat) => copyBack(await checked(house, given)),
  };
}

/** Says what the last compaction by the chat's own tool is missing, and offers to copy it back. */
async function reviewLast(house: House, given?: NamedChat): Promise<void> {
  const found = await checked(house, given);
  if (found === undefined) {
    return;
  }
  const { chat, result } = found;
  const tool = toolName(chat.tool) ?? vscode.l10n.t("The tool");
  const missing = lostIn(result).length;
  if (missing === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Nothing is missing from the last compaction by {0}.", tool),
    );
    return;
  }
  if (chat.ref.uri) {
    await show(vscode.l10n.t("Missing from {0}", chat.title ?? vscode.l10n.t("Untitled chat")), {
      check: chat.ref.uri,
    });
  }
  const copy = vscode.l10n.t("Copy Back");
  const sentence =
    missing === 1
      ? vscode.l10n.t("1 item is missing from the last compaction by {0}.", tool)
      : vscode.l10n.t("{0} items are missing from the last compaction by {1}.", missing, tool);
  if ((await vscode.window.showInformationMessage(sentence, copy)) === copy) {
    await copyBack(found);
  }
}

interface Reviewed {
  readonly chat: NamedChat;
  readonly result: Checked;
}

async function checked(house: House, given?: NamedChat): Promise<Reviewed | undefined> {
  const chat = given ?? (await house.chats.wanted());
  if (!chat) {
    return undefined;
  }
  const result = await patiently(vscode.l10n.t("Checking the last compaction"), (token) =>
    house.server.ask("check", { chat: chat.ref }, { token }).catch((problem) => {
      if (problem instanceof Fault && problem.kind === "nothingToCompact") {
        const { t } = vscode.l10n;
        const sentence = problem.data.recorded
          ? t("The last compaction of this chat has no readable summary, so it cannot be checked.")
          : t("This chat has not been compacted yet.");
        throw new Fault("nothingToCheck", sentence);
      }
      throw problem;
    }),
  );
  return { chat, result };
}

async function copyBack(found: Reviewed | undefined): Promise<void> {
  const texts = found ? lostIn(found.result).map(({ text }) => text) : [];
  if (texts.length > 0) {
    const heading = vscode.l10n.t("These are missing from the last compaction of this chat. They still hold:");
    await vscode.env.clipboard.writeText(`${heading}\n\n${texts.map(asItem).join("\n")}\n`);
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied. Paste it into the chat."), 4000);
  }
}

function lostIn({ survival }: Checked): Lost[] {
  return survival.classes.flatMap(({ lost }) => lost);
}

function asItem(text: string): string {
  return `- ${text.trim().replaceAll("\n", "\n  ")}`;
}

function missingText({ survival }: Checked): string {
  const classes = survival.classes.filter(({ lost }) => lost.length > 0);
  const parts = classes.map(({ name, total, kept, lost }) => {
    return `## ${classTitle(name)} (${total - kept}/${total})\n\n${lost.map(({ text }) => asItem(text)).join("\n")}\n`;
  });
  return [`# ${vscode.l10n.t("Missing from the last compaction")}\n`, ...parts].join("\n");
}

function transcriptText({ title, messages }: Transcript): string {
  const heading = label(title ?? "", LONGEST_TITLE) || vscode.l10n.t("Untitled chat");
  return [`# ${heading}\n`, ...messages.map(messageText)].join("\n");
}

function messageText({ index, role, kind, text }: MessageText): string {
  const { t } = vscode.l10n;
  const roles: Readonly<Record<string, string>> = {
    user: kind === "toolResult" ? t("Tool result") : t("User"),
    assistant: kind === "toolCall" ? t("Assistant, calling a tool") : t("Assistant"),
    system: t("System"),
    tool: t("Tool result"),
  };
  const author = kind === "summary" ? t("Summary of earlier messages") : (roles[role] ?? label(role, 40));
  const more = text.length > LONGEST_MESSAGE ? `\n${t("({0} more characters)", text.length - LONGEST_MESSAGE)}` : "";
  return `## ${index + 1} · ${author}\n\n${text.slice(0, LONGEST_MESSAGE)}${more}\n`;
}
