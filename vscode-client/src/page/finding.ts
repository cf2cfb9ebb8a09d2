/** Finds pages that this window has not opened itself: after a reload the editor asks for their documents. */

import { l10n, type Uri } from "vscode";
import { Fault } from "../faults";
import type { Server } from "../house";
import type { Found } from "./files";
import type { Keeper } from "./keeping";
import type { OpenPage } from "./openPage";
import { restored } from "./restoring";

export class Finder {
  readonly #looking = new Map<string, Promise<Found>>();
  readonly #failed = new Map<string, Uri>();

  constructor(
    private readonly keeper: Keeper,
    private readonly server: Server,
    private readonly returned: (page: OpenPage) => OpenPage,
  ) {}

  /** Gives the page at an address, or a sentence that says why there is none; looks once for each. */
  find(uri: Uri, key: string): Promise<Found> {
    const known = this.#looking.get(uri.path);
    if (known) {
      return known;
    }
    const found = this.#restored(uri, key);
    this.#looking.set(uri.path, found);
    return found;
  }

  /** Gives the addresses that are worth another look, now that it may find more. */
  forgetFailures(): Uri[] {
    return [...this.#failed.values()].filter((uri) => this.forgetFailure(uri));
  }

  /** Says whether the last look at an address failed; then the next one looks anew. */
  forgetFailure({ path }: Uri): boolean {
    const isFailed = this.#failed.delete(path);
    if (isFailed) {
      this.#looking.delete(path);
    }
    return isFailed;
  }

  async #restored(uri: Uri, key: string): Promise<Found> {
    try {
      const page = this.returned(await restored(uri, key, this.keeper, this.server));
      this.#looking.delete(uri.path);
      return page;
    } catch (problem) {
      this.#failed.set(uri.path, uri);
      const reason = problem instanceof Fault ? problem.message : l10n.t("The server gave no answer.");
      return l10n.t("This compaction cannot be shown now. {0}", reason);
    }
  }
}
