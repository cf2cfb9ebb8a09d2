/** Says whether a server that answered is one that this extension can work with. */

import type { OperationName } from "../house";

/** What a server says of itself in the answer to `initialize`. */
export interface Introduction {
  readonly serverInfo?: { readonly name?: string } | undefined;
  readonly capabilities?: { readonly experimental?: unknown } | undefined;
}

const WIRE = 1;
const NEEDED: readonly OperationName[] = [
  "sessions",
  "countTokens",
  "preview",
  "summarize",
  "continuation",
  "transcript",
  "check",
  "export",
  "restore",
  "history",
  "watch",
  "unwatch",
];

/** Returns whether a server is a different one, or ours but outdated; undefined if it has everything needed. */
export function whatIsWrong({ serverInfo, capabilities }: Introduction): "other" | "unfit" | undefined {
  const offered = compactChatIn(capabilities?.experimental);
  if (serverInfo?.name !== "compact-chat" || offered === undefined) {
    return "other";
  }
  const isWhole = NEEDED.every((name) => offered.operations.includes(name));
  return offered.version === WIRE && isWhole ? undefined : "unfit";
}

function compactChatIn(experimental: unknown): { version: unknown; operations: readonly unknown[] } | undefined {
  const offered = member(experimental, "compactChat");
  const operations = member(offered, "operations");
  return Array.isArray(operations) ? { version: member(offered, "version"), operations } : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
