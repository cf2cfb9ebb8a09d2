/** Which chat an agent means by its own. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House } from "../house";
import { isThere } from "../onward/files";
import { asId, namesOf, sessionAt } from "../onward/sessions";
import type { ChatRef } from "../wire";

/** Gives the chat that a call comes from; of a caller that says nothing of it the newest of this window, else the one in use. */
export async function calledFrom(house: House, token: unknown, cancelled: vscode.CancellationToken): Promise<ChatRef> {
  const { sessionResource, sessionId } = asObject(token);
  const isSilent = (sessionResource ?? sessionId ?? undefined) === undefined;
  const found = isSilent ? await newest(house, cancelled) : await saved(house, idIn(sessionResource, sessionId));
  if (!found) {
    throw new Fault(
      "chatNotFound",
      vscode.l10n.t("This chat is not saved yet; the editor does that after the first answer, so ask again then."),
    );
  }
  return found;
}

/** Returns the session's id from the opaque value that the editor passes to a tool. A session of another kind has no id that leads to a file, and is never taken for another chat. */
function idIn(sessionResource: unknown, sessionId: unknown): string {
  const { scheme, authority, path } = asObject(sessionResource);
  const isAddress = typeof scheme === "string" && typeof authority === "string" && typeof path === "string";
  const id = isAddress ? sessionAt({ scheme, authority, path }) : asId(sessionId);
  if (id === undefined) {
    throw new Fault("chatNotFound", vscode.l10n.t("This chat is of a kind that cannot be read from here."));
  }
  return id;
}

async function saved(house: House, sessionId: string): Promise<ChatRef | undefined> {
  const folder = house.chats.ownFolder;
  const files = folder ? namesOf(sessionId).map((name) => vscode.Uri.joinPath(folder, name)) : [];
  for (const file of files) {
    if (await isThere(file)) {
      return { uri: file.toString() };
    }
  }
  return undefined;
}

async function newest(house: House, token: vscode.CancellationToken): Promise<ChatRef | undefined> {
  const folder = house.chats.ownFolder;
  if (!folder) {
    return house.chats.inUse?.ref;
  }
  const params = { roots: [folder.toString()], limit: 1 };
  const { sessions } = await house.server.ask("sessions", params, { token, quietly: true });
  return sessions[0] ? { uri: sessions[0].uri } : house.chats.inUse?.ref;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
