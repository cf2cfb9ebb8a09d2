/** Types that the rooms of the extension share. */

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

/** Palette commands by the last part of their names. */
export type Commands = Readonly<Record<string, (...given: never[]) => unknown>>;

/** A chat as shown to the user: in a file, as the server lists it, or a text. */
export interface NamedChat {
  readonly uri?: string;
  readonly text?: string;
  readonly tool: string;
  readonly title: string | null;
}

export function refOf({ uri, text }: NamedChat): ChatRef {
  return uri === undefined ? { text: text ?? "" } : { uri };
}

export interface ChatInUse extends NamedChat {
  readonly uri: string;
  readonly report: TokenReport;
}
