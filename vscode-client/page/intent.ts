/** What a person chose and the server has not answered yet: single choices, so that they can be applied to any version. */

import type { Draft, DraftParams, Options, Scope } from "../src/wire";

export interface Intent {
  readonly addBack: ReadonlyMap<string, boolean>;
  readonly pin: ReadonlyMap<string, boolean>;
  readonly drop: ReadonlyMap<string, boolean>;
  readonly budget?: number;
  readonly scope?: Scope;
}

export const NOTHING: Intent = { addBack: new Map(), pin: new Map(), drop: new Map() };

/** Puts later choices over earlier ones. */
export function joined(one: Intent, other: Partial<Intent>): Intent {
  return {
    ...one,
    ...other,
    addBack: new Map([...one.addBack, ...(other.addBack ?? [])]),
    pin: new Map([...one.pin, ...(other.pin ?? [])]),
    drop: new Map([...one.drop, ...(other.drop ?? [])]),
  };
}

/** The ids that a draft adds back, with the choices that are under way. */
export function addedBack(draft: Draft, intent: Intent): Set<string> {
  return chosen(draft.addBack, intent.addBack);
}

export function pinned(draft: Draft, intent: Intent): Set<string> {
  const now = draft.options.pin ?? ids(draft, "pin");
  return chosen(now, intent.pin);
}

export function dropped(draft: Draft, intent: Intent): Set<string> {
  const now = draft.options.drop ?? ids(draft, "drop");
  return chosen(now, intent.drop);
}

/** What a call of `draft` has to say for these choices to hold. */
export function params(draft: Draft, intent: Intent): DraftParams {
  const options: Options = {};
  if (intent.pin.size > 0 || intent.drop.size > 0) {
    options.pin = [...pinned(draft, intent)];
    options.drop = [...dropped(draft, intent)];
  }
  if (intent.budget !== undefined) {
    options.summaryBudget = intent.budget;
  }
  if (intent.scope !== undefined) {
    options.scope = intent.scope;
  }
  const found: DraftParams = { draftId: draft.draftId, version: draft.version };
  if (Object.keys(options).length > 0) {
    found.options = options;
  }
  if (intent.addBack.size > 0) {
    found.addBack = [...addedBack(draft, intent)];
  }
  return found;
}

function chosen(now: readonly string[], choices: ReadonlyMap<string, boolean>): Set<string> {
  const found = new Set(now);
  for (const [id, isIn] of choices) {
    if (isIn) {
      found.add(id);
    } else {
      found.delete(id);
    }
  }
  return found;
}

function ids(draft: Draft, fate: string): string[] {
  return draft.preview.messages.filter((one) => one.fate === fate).map(({ id }) => id);
}
