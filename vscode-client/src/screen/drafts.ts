/** The drafts that this window shows: each is a file in memory whose text is exactly the message that will be sent. */

import * as vscode from "vscode";
import { DRAFT_OUTDATED } from "../../page/port";
import { Fault } from "../faults";
import type { Asking, Server } from "../server/server";
import type { Draft, DraftParams } from "../wire";

export const SCHEME = "compact-chat";
const LONGEST_NAME = 60;
const MOST_TEXTS = 100; // of one draft, to which undo leads back

/** A draft, or a sentence that says why there is none. */
type Found = Draft | string;

/** Returns the address of a draft's document; the title is for its tab. */
export function addressOf({ draftId, report, compaction }: Draft): vscode.Uri {
  const path = `/${fileName(report.title ?? compaction.title)}.md`;
  return vscode.Uri.from({ scheme: SCHEME, authority: draftId, path });
}

/** Returns the id in an address. Version 0.1 wrote that of a compaction, which is its draft's too, into the path. */
export function idIn({ scheme, authority, path }: vscode.Uri): string | undefined {
  return scheme === SCHEME ? authority || /^\/([\w-]+)\/[^/]+\.md$/.exec(path)?.[1] : undefined;
}

/** Returns a title as a name that every file system takes. */
export function fileName(title: string | null): string {
  const plain = (title ?? "").replace(/[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|#%]+/gu, " ");
  const name = [...plain.replace(/\s+/g, " ")]
    .slice(0, LONGEST_NAME)
    .join("")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  return name || vscode.l10n.t("Compacted chat");
}

/** Returns a draft's message as the editor stores it: with one kind of line end, in valid Unicode. */
export function messageOf({ compaction }: Draft): string {
  return Buffer.from(compaction.continuation.replace(/\r\n?/g, "\n")).toString();
}

/** A text without what an editor changes by itself on saving: blanks at the ends of lines, and empty lines at its end. */
function plain(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.join("\n").trimEnd();
}

export class Drafts implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #latest = new Map<string, Draft>();
  readonly #loading = new Map<string, Promise<Found>>();
  readonly #failed = new Map<string, vscode.Uri>();
  readonly #texts = new Map<string, Map<string, number>>();
  /** The texts that documents had before somebody typed, which tell on what an edit was made. */
  readonly #bases = new Map<string, string>();
  readonly #refused = new Map<string, Fault>();
  readonly #fileChanges = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #changes = new vscode.EventEmitter<Draft>();
  readonly onDidChangeFile = this.#fileChanges.event;
  /** Fires with each new state of a draft. */
  readonly onChanged = this.#changes.event;
  readonly #parts: vscode.Disposable;
  readonly #server: Server;
  #writing = Promise.resolve();

  constructor(server: Server) {
    this.#server = server;
    this.#parts = vscode.Disposable.from(
      this.#fileChanges,
      this.#changes,
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      server.onState((state) => state === "running" && this.#retry()),
      vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
        if (document.uri.scheme !== SCHEME) {
          return;
        }
        if (!document.isDirty) {
          this.#bases.set(idIn(document.uri) ?? "", plain(document.getText()));
        } else if (reason !== undefined) {
          void document.save(); // undo and redo bring another version back
        }
      }),
    );
  }

  /** Asks the server for a draft, or for a change of one; what is typed in its document counts first. */
  async change(params: DraftParams, asking: Asking = {}): Promise<Draft> {
    if (params.draftId) {
      await this.#settle(params.draftId);
    }
    return this.#request(params, asking);
  }

  /** Returns the draft of an address; rejects if there is none. */
  async of(uri: vscode.Uri): Promise<Draft> {
    const found = await this.#find(uri);
    if (typeof found === "string") {
      throw new Fault("compactionNotFound", found);
    }
    return found;
  }

  /** Returns the draft with what was typed in its document. */
  async settled(uri: vscode.Uri): Promise<Draft> {
    const { draftId } = await this.of(uri);
    await this.#settle(draftId);
    return this.of(uri);
  }

  /** Returns a draft as the server last returned it. */
  latest(draftId: string): Draft | undefined {
    return this.#latest.get(draftId);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const found = await this.#find(uri);
    if (typeof found !== "string" && !this.#documentOf(found.draftId)?.isDirty) {
      this.#bases.set(found.draftId, plain(messageOf(found)));
    }
    return contentOf(found);
  }

  /** The time never moves: the editor would take a draft that changed meanwhile for a conflict on saving. */
  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const found = await this.#find(uri);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: 1, size: contentOf(found).byteLength };
    return typeof found === "string" ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  /** Takes what a person wrote, unless that would overwrite what was done elsewhere. */
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { draftId } = await this.of(uri);
    const text = new TextDecoder().decode(content);
    try {
      const saved = await this.#save(draftId, text);
      this.#bases.set(draftId, plain(messageOf(saved)));
    } catch (problem) {
      throw vscode.FileSystemError.Unavailable(problem instanceof Fault ? problem.message : undefined);
    }
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Saves what is typed in the document; rejects if that was typed on a text that is not the newest any more. */
  async #settle(draftId: string): Promise<void> {
    await this.#writing;
    const document = this.#documentOf(draftId);
    if (document?.isDirty) {
      this.#refused.delete(draftId);
      await document.save();
      const refused = this.#refused.get(draftId);
      if (refused) {
        throw refused;
      }
    }
  }

  /** Makes a text the newest version; one that was there before, as after an undo, brings its version back. */
  async #save(draftId: string, text: string): Promise<Draft> {
    const base = this.#bases.get(draftId);
    const earlier = this.#texts.get(draftId)?.get(plain(text));
    let newest = this.#latest.get(draftId) as Draft;
    if (plain(messageOf(newest)) === plain(text)) {
      return newest;
    }
    if (earlier !== undefined) {
      newest = await this.#request({ draftId }); // the server refuses no return to an older version
    }
    while (plain(messageOf(newest)) === base) {
      const { version } = newest;
      try {
        return await this.#request(earlier === undefined ? { draftId, version, text } : { draftId, version: earlier });
      } catch (problem) {
        const draft = outdated(problem);
        if (draft === undefined) {
          throw problem;
        }
        newest = draft; // its text may be the same, with other options
      }
    }
    throw this.#refuse(newest, text);
  }

  /** Shows the newest version with the edit beside it, and puts it into the document, where undo leads back to the edit. */
  #refuse(newest: Draft, text: string): Fault {
    const draft = { ...newest, conflict: { text } };
    const sentence = vscode.l10n.t(
      "This text was changed elsewhere meanwhile, so your edit was not saved. Undo brings your edit back.",
    );
    const fault = new Fault("draftOutdated", sentence, { draft }, DRAFT_OUTDATED);
    this.#refused.set(newest.draftId, fault);
    this.#take(draft, text);
    void vscode.window.showErrorMessage(sentence);
    return fault;
  }

  async #request(params: DraftParams, asking: Asking = {}): Promise<Draft> {
    try {
      return this.#take(await this.#server.ask("draft", params, asking));
    } catch (problem) {
      const newest = outdated(problem);
      if (newest) {
        this.#take(newest);
      }
      throw problem;
    }
  }

  #take(draft: Draft, refused?: string): Draft {
    const { draftId, version } = draft;
    const message = plain(messageOf(draft));
    this.#latest.set(draftId, draft);
    const texts = this.#texts.get(draftId) ?? new Map<string, number>();
    texts.set(message, version);
    this.#bases.set(draftId, this.#bases.get(draftId) ?? message);
    if (texts.size > MOST_TEXTS) {
      texts.delete(texts.keys().next().value ?? "");
    }
    this.#texts.set(draftId, texts);
    this.#writing = this.#writing.then(() => this.#write(draftId, refused)).catch(() => undefined);
    this.#changes.fire(draft);
    return draft;
  }

  /** Makes the message the document's text, by an edit that can be undone; what was typed meanwhile stays. */
  async #write(draftId: string, refused?: string): Promise<void> {
    const draft = this.#latest.get(draftId);
    const document = this.#documentOf(draftId);
    if (!draft || !document || (document.isDirty && document.getText() !== refused)) {
      return;
    }
    const message = messageOf(draft);
    this.#bases.set(draftId, plain(message));
    if (plain(document.getText()) !== plain(message)) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), message);
      await vscode.workspace.applyEdit(edit);
      await document.save();
    }
  }

  #documentOf(draftId: string): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find((one) => !one.isClosed && idIn(one.uri) === draftId);
  }

  #find(uri: vscode.Uri): Promise<Found> {
    const draftId = idIn(uri) ?? "";
    const found = this.#latest.get(draftId) ?? this.#loading.get(draftId);
    if (found) {
      return Promise.resolve(found);
    }
    const loading = this.#request({ draftId }, { quietly: true }).catch((problem) => {
      this.#failed.set(draftId, uri);
      const reason = problem instanceof Fault ? problem.message : vscode.l10n.t("The server gave no answer.");
      return vscode.l10n.t("This compacted chat cannot be shown now. {0}", reason);
    });
    this.#loading.set(draftId, loading);
    return loading;
  }

  /** Looks again for what was not found while the server could not be asked. */
  #retry(): void {
    for (const [draftId, uri] of this.#failed) {
      this.#failed.delete(draftId);
      this.#loading.delete(draftId);
      this.#fileChanges.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }
}

function contentOf(found: Found): Uint8Array {
  return new TextEncoder().encode(typeof found === "string" ? `${found}\n` : messageOf(found));
}

/** Returns the current draft from the refusal of a change that was made on an older version. */
function outdated(problem: unknown): Draft | undefined {
  return problem instanceof Fault && problem.kind === "draftOutdated" ? (problem.data.draft as Draft) : undefined;
}
