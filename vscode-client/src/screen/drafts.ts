/** The drafts that this window shows: each is a file in memory whose text is exactly the message that will be sent. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Asking, Server } from "../server/server";
import type { Draft, DraftParams } from "../wire";
import { t } from "../words";

export const SCHEME = "compact-chat";
const LONGEST_NAME = 60;

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
  return name || t("Compacted chat");
}

/** Returns a draft's message as the editor stores it: with one kind of line end, in valid Unicode. */
export function messageOf({ compaction }: Draft): string {
  return Buffer.from(compaction.continuation.replace(/\r\n?/g, "\n")).toString();
}

/** A file system that keeps no files: a draft's version is the time of its file, so that the editor loads a newer one by itself, and never saves an edit of an older one over it. */
export class Drafts implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #latest = new Map<string, Draft>();
  readonly #loading = new Map<string, Promise<Found>>();
  readonly #fileChanges = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #changes = new vscode.EventEmitter<Draft>();
  readonly onDidChangeFile = this.#fileChanges.event;
  readonly onChanged = this.#changes.event;
  readonly #parts: vscode.Disposable;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    this.#parts = vscode.Disposable.from(
      this.#fileChanges,
      this.#changes,
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      server.onState((state) => state === "running" && this.#reloadMissing()),
      vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
        if (document.uri.scheme === SCHEME && document.isDirty && reason !== undefined) {
          void document.save(); // undo and redo bring another version back
        }
      }),
      // The message may differ from what was saved, since secrets are masked.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => uri.scheme === SCHEME && this.#reload(uri)),
    );
  }

  /** Asks the server for a draft or a change of one; first saves what was typed in its document. */
  async change(params: DraftParams, asking: Asking = {}, isTold = true): Promise<Draft> {
    if (params.draftId) {
      await this.#settle(params.draftId);
    }
    return this.#request(params, asking, isTold);
  }

  async of(uri: vscode.Uri): Promise<Draft> {
    const found = await this.#find(uri);
    if (typeof found === "string") {
      throw new Fault("compactionNotFound", found);
    }
    return found;
  }

  /** Returns the draft of an address after saving what was typed in its document. */
  async settled(uri: vscode.Uri): Promise<Draft> {
    const { draftId } = await this.of(uri);
    await this.#settle(draftId);
    return this.of(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return contentOf(await this.#find(uri));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const found = await this.#find(uri);
    const version =
      typeof found === "string" ? { mtime: 0, permissions: vscode.FilePermission.Readonly } : { mtime: found.version };
    return { type: vscode.FileType.File, ctime: 0, size: sizeOf(contentOf(found)), ...version };
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { draftId, version } = await this.of(uri);
    const text = new TextDecoder().decode(content);
    await this.#request({ draftId, version, text }).catch((problem) => {
      throw vscode.FileSystemError.Unavailable(problem instanceof Fault ? problem.message : undefined);
    });
  }

  readonly watch = () => new vscode.Disposable(() => undefined);
  readonly readDirectory = () => [];
  readonly createDirectory = refuse;
  readonly delete = refuse;
  readonly rename = refuse;

  dispose(): void {
    this.#parts.dispose();
  }

  /** Saves what is typed in the document; rejects if the editor refuses to, since the draft was changed elsewhere. */
  async #settle(draftId: string): Promise<void> {
    const [document] = this.#documents(draftId);
    if (document?.isDirty && !(await document.save())) {
      const sentence = t("This text was changed elsewhere. Your edit is not saved.");
      throw new Fault("draftOutdated", sentence, { draft: this.#latest.get(draftId) });
    }
  }

  async #request(params: DraftParams, asking: Asking = {}, isTold = true): Promise<Draft> {
    try {
      return this.#take(await this.#server.ask("draft", params, asking), isTold);
    } catch (problem) {
      if (problem instanceof Fault && problem.kind === "draftOutdated") {
        this.#take(problem.data.draft as Draft, isTold);
      }
      throw problem;
    }
  }

  /** Remembers a draft's newest state, has the editor load its text again, and tells its page unless that asked. */
  #take(draft: Draft, isTold: boolean): Draft {
    const { draftId, version } = draft;
    const isNew = this.#latest.get(draftId)?.version !== version;
    this.#latest.set(draftId, draft);
    if (isNew) {
      this.#documents(draftId).forEach(({ uri }) => void this.#reload(uri));
    }
    if (isTold) {
      this.#changes.fire(draft);
    }
    return draft;
  }

  #documents(draftId: string): vscode.TextDocument[] {
    return vscode.workspace.textDocuments.filter((one) => !one.isClosed && idIn(one.uri) === draftId);
  }

  #reload(uri: vscode.Uri): void {
    this.#fileChanges.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  #find(uri: vscode.Uri): Promise<Found> {
    const draftId = idIn(uri) ?? "";
    const found = this.#latest.get(draftId) ?? this.#loading.get(draftId);
    if (found) {
      return Promise.resolve(found);
    }
    const loading = this.#request({ draftId }, { quietly: true }).catch((problem) => {
      this.#loading.delete(draftId);
      const reason = problem instanceof Fault ? problem.message : t("The server gave no answer.");
      return t("This compacted chat cannot be shown now. {0}", reason);
    });
    this.#loading.set(draftId, loading);
    return loading;
  }

  /** Has the editor reload drafts that were not found while the server was not running. */
  #reloadMissing(): void {
    const uris = vscode.workspace.textDocuments.map(({ uri }) => uri).filter(({ scheme }) => scheme === SCHEME);
    uris.filter((uri) => !this.#latest.has(idIn(uri) ?? "")).forEach((uri) => void this.#reload(uri));
  }
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}

function contentOf(found: Found): Uint8Array {
  return new TextEncoder().encode(typeof found === "string" ? `${found}\n` : messageOf(found));
}

/** A size with a hash in it: the editor overwrites a newer file if its size is that of the file it read. */
export function sizeOf(content: Uint8Array): number {
  return content.byteLength + createHash("sha256").update(content).digest().readUInt16BE();
}
