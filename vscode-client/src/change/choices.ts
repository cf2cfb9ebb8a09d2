/** The choices that a person has about what is kept: the options after each of them. */

import type { Options } from "../wire";

export type Choice = "pin" | "drop" | "from" | "upTo" | "asPlanned";

/** What the server takes where the options say nothing. */
export const USUAL = { strategy: "summary", minKeep: 4, keepRecent: 10, style: "detailed" } as const;

/** Gives the options after a choice about one message: no message is pinned and dropped, or marked and where a scope ends. */
export function choose(options: Options, id: string, choice: Choice): Options {
  const bare = unmarked(options, id);
  switch (choice) {
    case "pin":
      return { ...withoutScopeAt(bare, id), pin: [...(bare.pin ?? []), id] };
    case "drop":
      return { ...withoutScopeAt(bare, id), drop: [...(bare.drop ?? []), id] };
    case "asPlanned":
      return withoutScopeAt(bare, id);
    default:
      return { ...bare, scope: { kind: choice, message: id } };
  }
}

/** Gives the choices that would change something about a message, the way back first. */
export function choicesFor(options: Options, id: string): Choice[] {
  const made = choiceMade(options, id);
  const all: Choice[] = takesScope(options) ? ["pin", "drop", "from", "upTo"] : ["pin", "drop"];
  const others = all.filter((choice) => choice !== made);
  return made ? ["asPlanned", ...others] : others;
}

/** Gives what a person chose about a message by name; undefined where nothing. */
export function choiceMade(options: Options, id: string): Choice | undefined {
  if (options.pin?.includes(id)) {
    return "pin";
  }
  if (options.drop?.includes(id)) {
    return "drop";
  }
  const kind = options.scope?.message === id ? options.scope.kind : undefined;
  return kind === "all" ? undefined : kind;
}

/** Says whether a part to summarise can be named: only a summary replaces one. */
export function takesScope(options: Options): boolean {
  const strategy = options.strategy ?? USUAL.strategy;
  return strategy === "summary" || strategy === "auto";
}

/** Says whether the number of newest messages counts: a named part decides by itself what stays. */
export function countsNewest(options: Options): boolean {
  const byScope = takesScope(options) && (options.scope?.kind ?? "all") !== "all";
  return !byScope && options.strategy !== "prune";
}

/** Gives how many of the newest messages stay as they are. */
export function newest(options: Options): number {
  return options.strategy === "keep" ? (options.keepRecent ?? USUAL.keepRecent) : (options.minKeep ?? USUAL.minKeep);
}

/** Gives the options with another number of newest messages that stay, by the name that the strategy has for it. */
export function withNewest(options: Options, count: number): Options {
  return options.strategy === "keep" ? { ...options, keepRecent: count } : { ...options, minKeep: count };
}

/** Gives the options without all that a person chose about this chat; where the next chat opens stays. */
export function untouched(options: Options): Options {
  const { strategy, style, instructions, minKeep, keepRecent, ...rest } = withoutMarks(options);
  return rest;
}

/** Gives the options without what a person chose about single messages. */
export function withoutMarks(options: Options): Options {
  const { scope, pin, drop, ...rest } = options;
  return rest;
}

function unmarked(options: Options, id: string): Options {
  const { pin, drop, ...rest } = options;
  return { ...rest, ...listed("pin", pin, id), ...listed("drop", drop, id) };
}

function listed(name: "pin" | "drop", ids: readonly string[] | undefined, gone: string): Options {
  const left = (ids ?? []).filter((id) => id !== gone);
  return left.length > 0 ? { [name]: left } : {};
}

function withoutScopeAt(options: Options, id: string): Options {
  const { scope, ...rest } = options;
  return scope === undefined || scope.message === id ? rest : { ...rest, scope };
}
