/** Shows the original chat as a read-only document, next to the work, at one of its messages. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Asking, House, NamedChat, Page, Server } from "../house";
import type { ChatRef, MessageText } from "../wire";
import { fileName } from "./address";
import { provideLinks } from "./links";
import { patiently } from "./patience";
import { lineOf, type Reading, readingOf } from "./transcriptText";

export const ORIGINAL_SCHEME = "compact-chat-original";

/** Whose messages are shown: of a chat, those that its own tool replaced last, or of the original that a compaction was made of. */
export interface Origin {
  readonly title: string | null;
  /** Distinguishes what was replaced at one time from what is at another. */
  readonly asOf?: number;
  readonly from: { readonly compactionId: string } | { readonly chat: ChatRef; readonly replaced?: true };
}

/** The original of a page: as it was compacted, where the archive has it. */
export function originOf({ chat, versions }: Page): Origin {
  const { archive, compactionId } = (versions.at(-1) ?? versions[0]).compaction;
  return { title: chat.title, from: archive === null ? { chat: chat.ref } : { compactionId } };
}

/** The messages that a chat's own tool replaced when it compacted the chat last. */
export function replacedIn(chat: NamedChat): Origin {
  return { title: chat.title, asOf: Date.now(), from: { chat: chat.ref, replaced: true } };
}

/** What the address of a document says of its chat. */
interface Query {
  readonly compactionId?: string;
  readonly uri?: string;
  readonly replaced?: true | undefined;
  readonly asOf?: number | undefined;
}

export class Originals implements vscode.Disposable {
  readonly #readings = new Map<string, Promise<Reading>>();
  readonly #held = new Map<string, ChatRef>();
  readonly #parts: vscode.Disposable;

  constructor(private readonly server: Server) {
    const provideTextDocumentContent = (uri: vscode.Uri) => this.#text(uri);
    this.#parts = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(ORIGINAL_SCHEME, { provideTextDocumentContent }),
      provideLinks(ORIGINAL_SCHEME, () => undefined),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#readings.delete(uri.toString())),
    );
  }

  /** Opens the original; at a message, where one is named. */
  async show(origin: Origin, message?: string): Promise<void> {
    const uri = this.#address(origin);
    const reading = await patiently(vscode.l10n.t("Reading the chat"), (token) => this.#reading(uri, { token }));
    const line = message === undefined ? 0 : lineOf(reading, message);
    const document = await vscode.workspace.openTextDocument(uri);
    const place = new vscode.Position(line ?? 0, 0);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: true,
    });
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.AtTop);
    if (line === undefined) {
      throw new Fault("messageNotFound", vscode.l10n.t("That message is not in the chat as it can be shown now."));
    }
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** A chat in a file, and an archived one, can be read again after a reload; a copied one is held as long as the window. */
  #address({ title, from, asOf }: Origin): vscode.Uri {
    const query: Query =
      "compactionId" in from ? from : { uri: from.chat.uri ?? this.#hold(from.chat), replaced: from.replaced, asOf };
    return vscode.Uri.from({
      scheme: ORIGINAL_SCHEME,
      path: `/${fileName(vscode.l10n.t("Original of {0}", title ?? vscode.l10n.t("Chat without a title")))}.md`,
      query: JSON.stringify(query),
    });
  }

  #hold(chat: ChatRef): string {
    const known = [...this.#held].find(([, other]) => other === chat)?.[0];
    const name = known ?? `held:${this.#held.size}`;
    this.#held.set(name, chat);
    return name;
  }

  async #text(uri: vscode.Uri): Promise<string> {
    try {
      return (await this.#reading(uri)).text;
    } catch (problem) {
      return problem instanceof Fault ? problem.message : vscode.l10n.t("The original cannot be shown now.");
    }
  }

  #reading(uri: vscode.Uri, asking: Asking = {}): Promise<Reading> {
    const known = this.#readings.get(uri.toString());
    if (known) {
      return known;
    }
    const reading = this.#read(uri, asking);
    this.#readings.set(uri.toString(), reading);
    reading.catch(() => this.#readings.delete(uri.toString()));
    return reading;
  }

  async #read(uri: vscode.Uri, asking: Asking): Promise<Reading> {
    const { compactionId, uri: file, replaced } = JSON.parse(uri.query) as Query;
    const chat = this.#held.get(file ?? "") ?? { uri: file ?? null };
    const params = compactionId === undefined ? { chat, ...(replaced && { replaced }) } : { compactionId };
    return readingOf(await this.server.ask("transcript", params, asking), vscode.l10n, vscode.env.language);
  }
}

/** The texts of the messages that lost facts are from, by the ids that they were asked for; where one id names none, those of the others. */
export async function messageTexts(
  { server }: House,
  { from }: Origin,
  ids: readonly string[],
  token: vscode.CancellationToken,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) {
    return new Map();
  }
  const ask = (which: { ids?: string[] }) => server.ask("transcript", { ...from, ...which }, { token });
  const { messages } = await ask({ ids: [...ids] }).catch((problem) => {
    if (ids.length > 1 && problem instanceof Fault && problem.kind === "messageNotFound") {
      return ask({});
    }
    throw problem;
  });
  return new Map(ids.flatMap((id) => textsOf(id, messages)));
}

/** An id may be shortened to a beginning that no other one shares. */
function textsOf(id: string, messages: readonly MessageText[]): [string, string][] {
  const found = messages.filter((message) => message.id.startsWith(id));
  const one = found.find((message) => message.id === id) ?? (found.length === 1 ? found[0] : undefined);
  return one ? [[id, one.text]] : [];
}
