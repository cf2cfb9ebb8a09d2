/** Keeps what a reload of the window would lose of a page, in a private file of the extension's own storage. */

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ExtensionContext, workspace } from "vscode";
import type { NamedChat } from "../house";
import { steadyStorage } from "../meter/places";
import type { Options } from "../wire";
import { keyOf } from "./address";
import { isUnedited } from "./body";
import { urisInTabs } from "./documents";
import type { Made, OpenPage } from "./openPage";

/** How many pages are kept of each sort: what a person did cannot be had again; of others the archive lacks only the tool, and a title that it was given. */
const MOST_KEPT = { edited: 200, plain: 30 } as const;
const MOST_BYTES = 20_000_000; // of each sort, but the newest is kept whatever its size, and so is what is open in a tab

type Sort = keyof typeof MOST_KEPT;

const SORTS: readonly Sort[] = ["edited", "plain"];

/** A page as it is kept; a chat that is no file is read again from the archive. */
export interface Kept {
  readonly tool: string;
  readonly title: string | null;
  readonly uri: string | null;
  /** Those that the user can go back to, the shown one last. */
  readonly versions: readonly [KeptVersion, ...KeptVersion[]];
}

export interface KeptVersion {
  readonly compactionId: string;
  readonly options: Options | null;
  /** The message of the next chat, where the user edited it. */
  readonly body: string | null;
}

export class Keeper {
  readonly #folder: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Pick<ExtensionContext, "storageUri" | "globalStorageUri">) {
    this.#folder = join(steadyStorage((context.storageUri ?? context.globalStorageUri).fsPath), "pages");
  }

  /** Keeps a page, one write after the other; where it cannot be written, the page is there until the reload. */
  keep(page: OpenPage): Promise<void> {
    const { key } = page;
    const kept = page.shown.compaction.archive === null ? undefined : keptOf(page);
    this.#last = this.#last.then(() => this.#put(key, kept)).catch(() => undefined);
    return this.#last.then(() => undefined);
  }

  async find(key: string): Promise<Kept | undefined> {
    for (const sort of SORTS) {
      try {
        return JSON.parse(await readFile(this.#file(sort, key), "utf8")) as Kept;
      } catch {
        // it may be of the other sort
      }
    }
    return undefined;
  }

  /** Of a compaction that is not archived nothing is kept, since it could not be shown again either. */
  async #put(key: string, kept: Kept | undefined): Promise<void> {
    if (isOff()) {
      await rm(this.#folder, { recursive: true, force: true });
      return;
    }
    const own = kept && sortOf(kept);
    if (own) {
      await this.#write(this.#file(own, key), JSON.stringify(kept));
      await this.#tidy(own);
    }
    await Promise.all(SORTS.filter((sort) => sort !== own).map((sort) => rm(this.#file(sort, key), { force: true })));
  }

  /** Puts a file in its place at once, so that a window that ends meanwhile leaves the one before. */
  async #write(file: string, content: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${crypto.randomUUID()}`;
    await writeFile(fresh, content, { mode: 0o600 });
    await rename(fresh, file);
  }

  #file(sort: Sort, key: string): string {
    return join(this.#folder, sort, `${key}.json`);
  }

  async #tidy(sort: Sort): Promise<void> {
    const folder = join(this.#folder, sort);
    const paths = (await readdir(folder)).map((name) => join(folder, name));
    const files = await Promise.all(paths.map(async (path) => ({ path, ...(await sizeAndTime(path)) })));
    const open = new Set(urisInTabs().map((uri) => this.#file(sort, keyOf(uri) ?? "")));
    let bytes = 0;
    for (const [place, { path, size }] of files.sort((one, other) => other.at - one.at).entries()) {
      bytes += size;
      if (place > 0 && (place >= MOST_KEPT[sort] || bytes > MOST_BYTES) && !open.has(path)) {
        await rm(path, { force: true });
      }
    }
  }
}

function sortOf({ versions }: Kept): Sort {
  return versions.length > 1 || versions[0].body !== null ? "edited" : "plain";
}

export function keptOf(page: OpenPage): Kept {
  const { tool, title, uri }: NamedChat = page.chat;
  const earlier = page.versions.slice(0, -1).filter(({ compaction }) => compaction.archive !== null);
  const [first, ...others] = [...earlier, page.shown].map(keptVersion);
  return { tool, title, uri: uri?.toString() ?? null, versions: [first ?? keptVersion(page.shown), ...others] };
}

function keptVersion({ compaction, body, options }: Made): KeptVersion {
  return { compactionId: compaction.compactionId, options, body: isUnedited(body, compaction) ? null : body };
}

function isOff(): boolean {
  const archive: unknown = workspace.getConfiguration("compactChat").get("archive");
  return archive === "off" || archive === false;
}

async function sizeAndTime(path: string): Promise<{ size: number; at: number }> {
  const { size, mtimeMs } = await stat(path);
  return { size, at: mtimeMs };
}
