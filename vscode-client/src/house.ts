/** What the rooms of the extension share: one object with its parts, commands, and the chats that they are about. */

import type { ExtensionContext, LogOutputChannel } from "vscode";
import type { Chats } from "./meter/chats";
import type { Drafts } from "./screen/drafts";
import type { Screens } from "./screen/screens";
import type { Models } from "./server/models";
import type { Server } from "./server/server";
import type { ChatRef, TokenReport } from "./wire";

export interface House {
  readonly context: ExtensionContext;
  readonly log: LogOutputChannel;
  readonly server: Server;
  readonly models: Models;
  readonly chats: Chats;
  readonly drafts: Drafts;
  readonly screens: Screens;
}

/** What a room offers to the palette: the last part of a command's name, and what it does. */
export type Commands = Readonly<Record<string, (...given: never[]) => unknown>>;

/** A chat in a file, as shown to the user. */
export interface NamedChat {
  readonly ref: ChatRef;
  readonly tool: string;
  readonly title: string | null;
}

export interface ChatInUse extends NamedChat {
  readonly report: TokenReport;
}
