/** Goes on in a new chat with the message of a page. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, Page } from "../house";
import { compacted } from "../page/compact";
import { isPanelThere, openNewChat } from "./panel";

const ROOM_FOR_MORE = "\n\n"; // the user says there what comes next

/** Opens a new chat with the page's current message in its input. */
export async function continueFrom(house: House, page: Page): Promise<void> {
  const message = house.pages.current(page).body.trim();
  if (message === "") {
    throw new Fault("noMessage", vscode.l10n.t("There is no text to continue with: write some below the line."));
  }
  await ((await isPanelThere()) ? openNewChat(`${message}${ROOM_FOR_MORE}`) : handOver(message));
  void house.pages.settled(page).catch(() => undefined); // an edited one is archived: its chat finds back to the original
}

/** Compacts the wanted chat and continues at once; the page stays open for checking. */
export async function continueNow(house: House): Promise<void> {
  const chat = await house.chats.wanted();
  if (chat) {
    await continueFrom(house, await compacted(house, chat, true));
  }
}

async function handOver(message: string): Promise<void> {
  await vscode.env.clipboard.writeText(message);
  await vscode.window.showInformationMessage(
    vscode.l10n.t("No chat panel is set up here, so the message is copied: paste it as the first one of a new chat."),
  );
}
