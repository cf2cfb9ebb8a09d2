/** Opens the compacted chat in the panel as a new session next to the old one. */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, Page } from "../house";
import { label } from "../words";
import { writeNew } from "./files";
import { isPanelThere, showSession } from "./panel";
import { withExport } from "./scratch";
import { newSession } from "./sessions";
import { tellOfTail } from "./tail";

const LONGEST_TITLE = 80;

/** An import would show it too, but VS Code saves no imported chat. */
export async function openCopy(house: House, page: Page): Promise<void> {
  const folder = house.chats.ownFolder;
  if (!folder || !(await isPanelThere())) {
    throw new Fault("noPanel", vscode.l10n.t("This editor has no chat panel that could open the compacted chat."));
  }
  const version = house.pages.current(page);
  const { compactionId } = await house.pages.settled(page);
  const exported = await withExport(house, compactionId, "vscode-export", (file) => readFile(file.fsPath, "utf8"));
  const sessionId = randomUUID();
  const session = newSession(JSON.parse(exported), {
    sessionId,
    title: vscode.l10n.t("Compacted: {0}", label(page.chat.title ?? vscode.l10n.t("chat"), LONGEST_TITLE)),
    now: Date.now(),
    version: vscode.version,
  });
  await writeNew(vscode.Uri.joinPath(folder, session.name), session.text);
  await showSession(sessionId);
  tellOfTail(version);
}
