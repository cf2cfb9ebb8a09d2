/** Keeps what a reload of the window would lose of a page, in a file of the extension's own storage. */

import { type ExtensionContext, Uri, workspace } from "vscode";
import type { NamedChat } from "../house";
import type { Options } from "../wire";
import { isUnedited } from "./body";
import type { OpenPage } from "./openPage";

const MOST_KEPT = 30;

/** A page as it is kept; a chat that is no file is read again from the archive. */
export interface Kept {
  readonly compactionId: string;
  readonly options: Options;
  readonly tool: string;
  readonly title: string | null;
  readonly uri: string | null;
  /** The message of the next chat, where the user edited it. */
  readonly body: string | null;
}

export class Keeper {
  readonly #folder: Uri;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Pick<ExtensionContext, "storageUri" | "globalStorageUri">) {
    this.#folder = Uri.joinPath(context.storageUri ?? context.globalStorageUri, "pages");
  }

  /** Keeps a page, one write after the other; where it cannot be written, the page is there until the reload. */
  keep(page: OpenPage): Promise<void> {
    const content = new TextEncoder().encode(JSON.stringify(keptOf(page)));
    const written = this.#last.then(async () => {
      await workspace.fs.createDirectory(this.#folder);
      await workspace.fs.writeFile(this.#file(page.key), content);
      await this.#tidy();
    });
    this.#last = written.catch(() => undefined);
    return this.#last.then(() => undefined);
  }

  async find(key: string): Promise<Kept | undefined> {
    try {
      return JSON.parse(new TextDecoder().decode(await workspace.fs.readFile(this.#file(key)))) as Kept;
    } catch {
      return undefined;
    }
  }

  #file(key: string): Uri {
    return Uri.joinPath(this.#folder, `${key}.json`);
  }

  async #tidy(): Promise<void> {
    const names = (await workspace.fs.readDirectory(this.#folder)).map(([name]) => name);
    if (names.length <= MOST_KEPT) {
      return;
    }
    const files = names.map((name) => Uri.joinPath(this.#folder, name));
    const times = await Promise.all(files.map(async (file) => ({ file, at: (await workspace.fs.stat(file)).mtime })));
    const old = times.sort((one, other) => other.at - one.at).slice(MOST_KEPT);
    await Promise.all(old.map(({ file }) => workspace.fs.delete(file)));
  }
}

export function keptOf(page: OpenPage): Kept {
  const { compaction, body, options } = page.shown;
  const { tool, title, uri }: NamedChat = page.chat;
  const { compactionId } = compaction;
  return {
    compactionId,
    options,
    tool,
    title,
    uri: uri?.toString() ?? null,
    body: isUnedited(body, compaction) ? null : body,
  };
}
