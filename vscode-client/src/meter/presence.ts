/** Whether there may be a chat that this window can measure: a cheap look at files, before any server is started. */

import { join } from "node:path";
import { mentions } from "./mention";
import { claudeProjects, geminiName, geminiProjects, letters, sharedPlaces, type WindowPlaces } from "./places";
import { BEGINNING, Beginnings, names, newest, type Seen, stamp } from "./seen";

const MOST_OF_A_PLACE = 20;
const MOST_PROJECTS = 200;
const CHATS = [".jsonl", ".json"];
const HAS_A_REQUEST = /"requests":\s*\[\s*\{|"k":\s*\["requests"/;

/** Looks at the same places again and again; what was read of a file is remembered until the file changes. */
export class Presence {
  private readonly requested = new Beginnings((text, file) => file.bytes > BEGINNING || HAS_A_REQUEST.test(text));
  private readonly ours: Beginnings;
  private readonly roots: Beginnings;
  private readonly letters: readonly string[];
  private readonly hashes: readonly string[];

  constructor(private readonly window: WindowPlaces) {
    const named = mentions(window.folders);
    this.ours = new Beginnings(named);
    this.roots = new Beginnings(named);
    this.letters = window.folders.map(letters);
    this.hashes = window.folders.map(geminiName);
  }

  /** Returns a signature of the possible chats of this window, which changes when they do; empty without any. */
  async signs(): Promise<string> {
    const own = this.own();
    const others = this.window.folders.length === 0 ? [] : [this.claude(), this.gemini(), this.shared()];
    const found = (await Promise.all([own, ...others])).flat();
    return found.map(stamp).sort().join("\n");
  }

  private async own(): Promise<Seen[]> {
    const folder = this.window.own;
    if (folder === undefined) return [];
    return kept(await chatsIn(folder), this.requested);
  }

  private async shared(): Promise<Seen[]> {
    const found = await Promise.all(sharedPlaces(this.window).map((place) => newest(place, MOST_OF_A_PLACE)));
    return kept(found.flat(), this.ours);
  }

  /** A project's folder is named after its path; of one that begins alike, the chats tell whether it lies below. */
  private async claude(): Promise<Seen[]> {
    const found: Seen[] = [];
    for (const projects of claudeProjects(this.window)) {
      for (const name of (await names(projects)).filter((name) => this.beginsAlike(name)).slice(0, MOST_PROJECTS)) {
        const chats = await chatsIn(join(projects, name));
        found.push(...(this.letters.includes(letters(name)) ? chats : await kept(chats, this.ours)));
      }
    }
    return found;
  }

  private async gemini(): Promise<Seen[]> {
    const projects = geminiProjects(this.window);
    const found: Seen[] = [];
    for (const name of (await names(projects)).slice(0, MOST_PROJECTS)) {
      const isOurs = this.hashes.includes(name) || (await this.isNoted(join(projects, name)));
      if (isOurs) found.push(...(await chatsIn(join(projects, name, "chats"))));
    }
    return found;
  }

  private async isNoted(project: string): Promise<boolean> {
    const root = await newest({ folder: project, levels: [], endings: [".project_root"] }, 1);
    return (await kept(root, this.roots)).length > 0;
  }

  private beginsAlike(name: string): boolean {
    return this.letters.some((ours) => letters(name).startsWith(ours));
  }
}

function chatsIn(folder: string): Promise<Seen[]> {
  return newest({ folder, levels: [], endings: CHATS }, MOST_OF_A_PLACE);
}

async function kept(files: readonly Seen[], which: Beginnings): Promise<Seen[]> {
  const answers = await Promise.all(files.map((file) => which.say(file)));
  return files.filter((_, index) => answers[index]);
}
