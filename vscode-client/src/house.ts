/** What the rooms of the extension share: the interfaces between them, and one object that holds them all. */

import type { CancellationToken, Disposable, Event, ExtensionContext, LogOutputChannel, Uri } from "vscode";
import type { Fault } from "./faults";
import type { ChatRef, Compaction, Operations, Options, TokenReport } from "./wire";

export interface House {
  readonly context: ExtensionContext;
  readonly log: LogOutputChannel;
  readonly server: Server;
  readonly models: Models;
  readonly chats: Chats;
  readonly pages: Pages;
}

/** What a room offers to the palette: the last part of a command's name, and what it does. */
export type Commands = Readonly<Record<string, (...given: never[]) => unknown>>;

export type OperationName = keyof Operations;

export interface Asking {
  readonly token?: CancellationToken;
  /** Gets the text of a model while it comes. */
  readonly heard?: (text: string) => void;
  /** Hears how far the work is. */
  readonly worked?: (value: object) => void;
  /** Never asks the user anything; rejects with the kind `notSetUp` instead. */
  readonly quietly?: boolean;
}

export interface MeterMoved {
  readonly watchId: string;
  readonly uri: string;
  readonly report: TokenReport;
}

export type ServerState = "stopped" | "starting" | "running" | "failed";

/** The Python server: one process, started at the first question. */
export interface Server extends Disposable {
  readonly state: ServerState;
  /** The version of the server that ran last. */
  readonly version: string | undefined;
  readonly onState: Event<ServerState>;
  /** Whether no question is under way. */
  readonly isIdle: boolean;
  readonly onMeter: Event<MeterMoved>;
  /** Asks for an operation, starting the server where needed; rejects with a `Fault`. */
  ask<Name extends OperationName>(
    name: Name,
    params: Operations[Name]["params"],
    asking?: Asking,
  ): Promise<Operations[Name]["result"]>;
  /** Says whether it could be started now without a question to the user. */
  isAtHand(): Promise<boolean>;
  /** Has it set up, asking the user once; rejects with a `Fault` where that is declined or fails. With `choosing`, the user names the Python. */
  setUp(choosing?: boolean): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** Who would improve a summary. */
export interface Improver {
  readonly provider: "anthropic" | "editor";
  /** Which of the provider's models are asked: the first, and another one where that fails. Without the first the server chooses it. */
  readonly options: Pick<Options, "summaryModel" | "fallbackModels">;
  readonly label: string;
  readonly vendor: string;
}

export interface Models {
  /** The one that the settings, a stored key and the editor's models make the first choice; undefined where there is none. Rejects where the settings name a model that is not there. */
  improver(): Promise<Improver | undefined>;
  /** Lets the user choose who it is from now on; says whether a choice was made. */
  choose(): Promise<boolean>;
  /** Changes whenever the answer may be another one. */
  readonly onChanged: Event<void>;
}

/** A chat in a file, as shown to the user. */
export interface NamedChat {
  readonly ref: ChatRef;
  readonly tool: string;
  readonly title: string | null;
  /** Where the chat lies; undefined for a copied text. */
  readonly uri: Uri | undefined;
}

export interface ChatInUse extends NamedChat {
  readonly report: TokenReport;
}

export interface Chats extends Disposable {
  /** The chat that the meter measures. */
  readonly inUse: ChatInUse | undefined;
  /** Whether that is a chat that the user picked, and not the most recently active one. */
  readonly isPicked: boolean;
  /** Why a chat that is there cannot be measured; undefined where nothing is wrong. */
  readonly trouble: Fault | undefined;
  /** How full a chat is by its own record, while no server is there to measure it. */
  readonly recorded: { readonly tool: string; readonly percent: number } | undefined;
  /** Changes whenever the chat in use, its report, or the trouble is another. */
  readonly onChanged: Event<ChatInUse | undefined>;
  /** Lets the user pick the chat that is measured from now on, or again the most recently active one. */
  pick(): Promise<void>;
  /** Measures the most recently active chat again. */
  measureNewest(): Promise<void>;
  /** Tries again to measure, after something that may have helped. */
  lookAgain(): void;
  /** Lets the user choose a chat of this window, or a file; undefined where the user chooses none. */
  choose(title: string): Promise<NamedChat | undefined>;
  /** Gives the chat that a command is about: the one in use, else one that the user picks; undefined where the user picks none. */
  wanted(): Promise<NamedChat | undefined>;
  /** The folder where this window's own chats of VS Code lie; undefined where the editor has none. */
  readonly ownFolder: Uri | undefined;
}

/** A summary on a page, and its current message for the next chat. */
export interface Version {
  readonly compaction: Compaction;
  /** The continuation, with what the user changed of it. */
  readonly body: string;
}

/** One document with a compaction: report above, the message of the next chat below. */
export interface Page {
  readonly uri: Uri;
  readonly chat: NamedChat;
  readonly options: Options;
  /** The versions that the user can go back to, the shown one last. */
  readonly versions: readonly [Version, ...Version[]];
  readonly isWriting: boolean;
}

export interface Pages extends Disposable {
  /** Shows a compaction as a new page; next to the work, the focus stays where it is. */
  open(chat: NamedChat, compaction: Compaction, options: Options, isBeside?: boolean): Promise<Page>;
  /** Gives the pages that stand in open tabs. */
  inTabs(): readonly Page[];
  /** Gives the page of a document, else that of the active editor; undefined where there is none. */
  of(uri?: Uri | string): Promise<Page | undefined>;
  /** Shows another version, or another plan of the same chat, on a page. */
  show(page: Page, version: Version, options?: Options): Promise<Page>;
  /** The version shown, with what the user has typed but not saved. */
  current(page: Page): Version;
  /** The compaction as the user edited it: the same where nothing was edited, else checked and archived anew by the server. */
  settled(page: Page): Promise<Compaction>;
  /** Fires when a model begins to write on a page, and when none writes any more. */
  readonly onWriting: Event<boolean>;
}
