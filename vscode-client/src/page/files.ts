/** The file system of the pages: files in memory that can be edited and saved, and nothing else. */

import * as vscode from "vscode";
import type { OpenPage } from "./openPage";

export const SCHEME = "compact-chat";

/** What an address leads to: a page, or a sentence that says why there is none. */
export type Found = OpenPage | string;

export interface Shelf {
  find(uri: vscode.Uri): Promise<Found>;
  /** Takes what the user saved; done once a reload of the window would not lose it. */
  saved(page: OpenPage, text: string): Promise<void>;
}

export class PageFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #sizes = new Map<string, number>();
  readonly #told = new Set<string>();

  constructor(readonly shelf: Shelf) {}

  /** Says that a file is another one now. */
  tell(uri: vscode.Uri): void {
    this.#told.add(uri.path);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  /**
   * The time never moves, since the editor would call a save a conflict whenever the report was told anew meanwhile;
   * that a file has changed shows in its size alone, which is never the same twice in a row.
   */
  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const found = await this.shelf.find(uri);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: 1, size: this.#size(uri, contents(found).byteLength) };
    const isFixed = typeof found === "string" || found.isWriting;
    return isFixed ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return contents(await this.shelf.find(uri));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const found = await this.shelf.find(uri);
    if (typeof found === "string") {
      throw vscode.FileSystemError.NoPermissions(found);
    }
    if (found.isWriting) {
      throw vscode.FileSystemError.NoPermissions(vscode.l10n.t("A model is writing here; stop it first."));
    }
    this.#told.add(uri.path);
    await this.shelf.saved(found, new TextDecoder().decode(content));
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
    this.#changed.dispose();
  }

  #size(uri: vscode.Uri, bytes: number): number {
    const last = this.#sizes.get(uri.path);
    const isAnother = this.#told.delete(uri.path);
    const size = last === undefined ? bytes : isAnother ? bytes + Number(bytes === last) : last;
    this.#sizes.set(uri.path, size);
    return size;
  }
}

function contents(found: Found): Uint8Array {
  return new TextEncoder().encode(typeof found === "string" ? `${found}\n` : found.text);
}
