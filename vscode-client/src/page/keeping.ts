/** Keeps what a reload of the window would lose of a page, in a private file of the extension's own storage. */

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ExtensionContext, workspace } from "vscode";
import type { NamedChat } from "../house";
import { steadyStorage } from "../meter/places";
import type { Options } from "../wire";
import { isUnedited } from "./body";
import type { Made, OpenPage } from "./openPage";

const MOST_KEPT = 30;
const MOST_BYTES = 20_000_000; // of all together, but the newest is kept whatever its size

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
    const kept = page.shown.compaction.archive === null ? undefined : JSON.stringify(keptOf(page));
    this.#last = this.#last.then(() => this.#put(key, kept)).catch(() => undefined);
    return this.#last.then(() => undefined);
  }

  async find(key: string): Promise<Kept | undefined> {
    try {
      return JSON.parse(await readFile(this.#file(key), "utf8")) as Kept;
    } catch {
      return undefined;
    }
  }

  /** Of a compaction that is not archived nothing is kept, since it could not be shown again either. */
  async #put(key: string, kept: string | undefined): Promise<void> {
    if (isOff()) {
      await rm(this.#folder, { recursive: true, force: true });
    } else if (kept === undefined) {
      await rm(this.#file(key), { force: true });
    } else {
      await this.#write(this.#file(key), kept);
      await this.#tidy();
    }
  }

  /** Puts a file in its place at once, so that a window that ends meanwhile leaves the one before. */
  async #write(file: string, content: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const fresh = `${file}.${crypto.randomUUID()}`;
    await writeFile(fresh, content, { mode: 0o600 });
    await rename(fresh, file);
  }

  #file(key: string): string {
    return join(this.#folder, `${key}.json`);
  }

  async #tidy(): Promise<void> {
    const paths = (await readdir(this.#folder)).map((name) => join(this.#folder, name));
    const files = await Promise.all(paths.map(async (path) => ({ path, ...(await sizeAndTime(path)) })));
    let bytes = 0;
    for (const [place, { path, size }] of files.sort((one, other) => other.at - one.at).entries()) {
      bytes += size;
      if (place > 0 && (place >= MOST_KEPT || bytes > MOST_BYTES)) {
        await rm(path, { force: true });
      }
    }
  }
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
