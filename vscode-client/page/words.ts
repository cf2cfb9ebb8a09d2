/** Numbers and nouns as people read them. */

import { CLASSES, LABELS } from "../src/tools";
import type { Parts } from "../src/wire";

const formats = new Map<string, Intl.NumberFormat>();

/** Formats a number. Formats are cached: creating one takes longer than drawing a list. */
export function digits(number: number, language = "en", most = 0): string {
  const key = `${language} ${most}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(language, { maximumFractionDigits: most });
  formats.set(key, format);
  return format.format(number);
}

/** Shortens a number of tokens: 950, 6.2k, 48k, 1.2M. */
export function tokens(count: number, language = "en"): string {
  if (count < 999.5) {
    return digits(count, language);
  }
  const [unit, shown] = count < 999_500 ? ["k", count / 1000] : ["M", count / 1e6];
  return `${digits(shown, language, shown < 9.95 ? 1 : 0)}${unit}`;
}

/** Counts things: `1 message`, `1,234 messages`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${digits(number)} ${number === 1 ? one : many}`;
}

/** Words for a count: once, twice, 3 times. */
export function times(number: number): string {
  return ["never", "once", "twice"][number] ?? `${number} times`;
}

export function toolName(tool: string): string {
  return LABELS[tool] ?? (tool === "unknown" ? "This chat's tool" : tool);
}

/** Names a model: `claude-haiku-5-5` is Claude Haiku 5.5, `copilot/gpt-5` is gpt-5; the empty one is the server's choice. */
export function modelName(id: string): string {
  if (id === "") {
    return "Claude";
  }
  const model = id.replace(/^copilot\//, "");
  const [, family, version] = /^claude-([a-z]+)((?:[-.]\d{1,2})*)(?:-\d{8})?$/.exec(model) ?? [];
  if (family === undefined) {
    return model;
  }
  const number = (version ?? "").slice(1).replace(/-/g, ".");
  return `Claude ${upperFirst(family)}${number && ` ${number}`}`;
}

/** What fills a context, in the order in which it is drawn. */
export const PARTS: readonly (readonly [keyof Parts, string])[] = [
  ["fixed", "system and tools"],
  ["attached", "attached later by the tool"],
  ["summary", "earlier summary"],
  ["toolResults", "tool results"],
  ["toolCalls", "tool calls"],
  ["thinking", "thinking"],
  ["images", "images"],
  ["user", "you"],
  ["assistant", "answers"],
];

/** The tokens of a part; earlier servers do not name all of them. */
export function sizeOf(parts: Parts, name: keyof Parts): number {
  return parts[name] ?? 0;
}

/** Counts facts of a class; an unknown class keeps its name. */
export function facts(name: string, number: number): string {
  const [one, many] = CLASSES[name] ?? [name, name];
  return count(number, one, many);
}

/** Names a class of facts in a heading: `Read files`. */
export function classTitle(name: string): string {
  return upperFirst(CLASSES[name]?.[1] ?? name);
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function kind(name: string): string {
  return name === "omissions" ? "shortened in the message" : (CLASSES[name]?.[0] ?? name);
}

export function day(at: string): string {
  return new Date(at).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" });
}

export function clipped(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`;
}
