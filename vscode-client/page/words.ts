/** Numbers and nouns as people read them. */

import { LABELS } from "../src/tools";

/** Shortens a number of tokens: 950, 6.2k, 48k, 1.2M. */
export function tokens(count: number): string {
  if (Math.abs(count) < 1000) {
    return String(Math.round(count));
  }
  if (Math.abs(count) < 999_500) {
    const thousands = count / 1000;
    return `${Math.abs(thousands) < 9.95 ? trimmed(thousands) : Math.round(thousands)}k`;
  }
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}

/** Counts things: `1 message`, `1,234 messages`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}

/** Says how often: once, twice, 3 times. */
export function times(number: number): string {
  return ["never", "once", "twice"][number] ?? `${number} times`;
}

export function toolName(tool: string): string {
  return LABELS[tool] ?? (tool === "unknown" ? "This chat's tool" : tool);
}

/** Shortens a model's id: `claude-sonnet-4-5-20250929` is sonnet-4.5, `copilot/gpt-5` is gpt-5. */
export function modelName(id: string): string {
  const model = id.slice(id.lastIndexOf("/") + 1);
  const [, family, version] = /^claude-([a-z]+)((?:[-.]\d{1,2})*)(?:-\d{8})?$/.exec(model) ?? [];
  return family === undefined ? model : `${family}${version ? `-${version.slice(1).replace(/-/g, ".")}` : ""}`;
}

/** Names a model in a title: `claude-haiku-5-5` is Haiku 5.5. */
export function modelTitle(model: string): string {
  const name = modelName(model);
  return name === model ? model : name.charAt(0).toUpperCase() + name.slice(1).replace("-", " ");
}

/** The class of a fact: one of it, many of it. */
const CLASSES: Readonly<Record<string, readonly [string, string]>> = {
  constraints: ["rule", "rules"],
  preferences: ["preference", "preferences"],
  userMessages: ["message by you", "messages by you"],
  values: ["value", "values"],
  errors: ["error", "errors"],
  state: ["state", "states"],
  decisions: ["decision", "decisions"],
  todos: ["open task", "open tasks"],
  modifiedFiles: ["changed file", "changed files"],
  readFiles: ["read file", "read files"],
  results: ["result", "results"],
  currentWork: ["step in progress", "steps in progress"],
  commands: ["command", "commands"],
  omissions: ["kept message whole", "kept messages whole"],
};

/** Names so many facts of a class; a class that is new here has its own name. */
export function facts(name: string, number: number): string {
  const [one, many] = CLASSES[name] ?? [name, name];
  return count(number, one, many);
}

/** Names a class of facts in a heading: `Read files`. */
export function classTitle(name: string): string {
  const many = CLASSES[name]?.[1] ?? name;
  return many.charAt(0).toUpperCase() + many.slice(1);
}

/** Names the class of one fact. */
export function kind(name: string): string {
  const own: Readonly<Record<string, string>> = { userMessages: "your message", omissions: "part of a kept message" };
  return own[name] ?? CLASSES[name]?.[0] ?? name;
}

export function clipped(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`;
}
