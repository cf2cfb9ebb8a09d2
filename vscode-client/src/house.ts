/** What the rooms of the extension share: the interfaces between them, and one object that holds them all. */

import type { CancellationToken, Disposable, Event, ExtensionContext, LogOutputChannel, Uri } from "vscode";
import type { Fault } from "./faults";
import type { ChatRef, Draft, DraftParams, Operations, Options, TokenReport } from "./wire";

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

/** The drafts that this window knows, each the text of a document. */
export interface Drafts {
  /** Fires with each new state of a draft. */
  readonly onChanged: Event<Draft>;
  /** Asks the server for a draft, or for a change of one; what is typed in its document counts first. */
  change(params: DraftParams, asking?: Asking): Promise<Draft>;
  /** Returns the draft of an address; rejects if there is none. */
  of(uri: Uri): Promise<Draft>;
  /** Returns the draft of an address with what was typed in its document. */
  settled(uri: Uri): Promise<Draft>;
  /** Returns a draft as the server last returned it. */
  latest(draftId: string): Draft | undefined;
}

/** The screens of drafts: editors that show the page. */
export interface Screens {
  /** The address of the draft in front, as a page or as text. */
  readonly inFront: Uri | undefined;
  /** Fires when a model begins to write a summary, and when none writes any more. */
  readonly onWriting: Event<boolean>;
  /** Returns the addresses of the drafts in tabs. */
  inTabs(): readonly Uri[];
  /** Opens the screen of a draft; next to the work, the focus stays where it is. */
  show(draft: Draft, how?: { readonly isBeside?: boolean }): Promise<void>;
  /** Presses a button of a draft's page, which comes to the front. */
  press(action: string, uri: Uri): Promise<undefined>;
  /** Tells the pages that the model or its consent changed. */
  refresh(): Promise<void>;
  /** Stops the models that write. */
  stop(): void;
}
