/** The key for Anthropic: where it is kept, and what one looks like. */

import type { ExtensionContext } from "vscode";

export const KEY_NAME = "anthropicApiKey";

/** Returns whether a key is stored, or in the environment that the server gets. */
export async function hasKey(context: ExtensionContext): Promise<boolean> {
  const inEnvironment = process.env.ANTHROPIC_API_KEY || process.env.ANTHROPIC_AUTH_TOKEN;
  return Boolean(inEnvironment) || Boolean(await context.secrets.get(KEY_NAME));
}

/** What is wrong with a text as a key: nothing, something that a key cannot have, or something unusual. */
export function lookAtKey(text: string): "fine" | "empty" | "impossible" | "unusual" {
  const key = text.trim();
  if (key === "") {
    return "empty";
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return "impossible";
  }
  return /^sk-ant-.{16,}$/.test(key) ? "fine" : "unusual";
}
