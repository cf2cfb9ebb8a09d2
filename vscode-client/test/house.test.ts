/** What holds for the extension as a whole: its manifest, its sentences, the size of its parts. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Commands, House } from "../src/house";
import { meterCommands } from "../src/meter/status";
import { historyCommands } from "../src/onward/history";
import { reviewCommands } from "../src/onward/texts";
import { actionCommands, compactCommands } from "../src/screen/actions";
import { serverCommands } from "../src/server/commands";

interface Manifest {
  readonly version: string;
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly walkthroughs: readonly { readonly steps: readonly WalkthroughStep[] }[];
  };
}

interface Setting {
  readonly default: unknown;
}

interface WalkthroughStep {
  readonly media: { readonly image: Readonly<Record<string, string>>; readonly altText: string };
  readonly completionEvents: readonly string[];
}

const PREFIX = "compactChat.ui.";
const ROOMS = [serverCommands, meterCommands, compactCommands, actionCommands, historyCommands, reviewCommands];
const MANIFEST: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
const COMMANDS = MANIFEST.contributes.commands.map(({ command }) => command);

test("every sentence of the code stands in the bundle for translators", () => {
  const { status, stderr } = spawnSync("node", ["scripts/write_l10n.mjs", "--check"], { encoding: "utf8" });
  assert.equal(status, 0, `Run node scripts/write_l10n.mjs:\n${stderr}`);
});

test("no bare text is shown to a person: all of it goes through l10n.t", () => {
  const shown = [
    /\bshow(?:Information|Warning|Error)Message\(\s*(["'`])(?<text>.*?)\1/gs,
    /\b(?:title|label|placeHolder|placeholder|prompt|tooltip|detail|description|command\.title)\s*[:=]\s*(["'`])(?<text>.*?)\1/gs,
  ];
  const bare = modules().flatMap(({ file, text }) =>
    shown.flatMap((pattern) => [...text.matchAll(pattern)].flatMap((match) => wordsIn(match, file))),
  );
  assert.deepEqual(bare, []);
});

test("texts that the editor shows without markup have none", () => {
  const texts: Record<string, string> = JSON.parse(readFileSync("package.nls.json", "utf8"));
  const isPlain = /"enumDescriptions": \[[^\]]*\]|"(?:description|title|altText|contents)": "%[^"]+"/g;
  const keys = [...readFileSync("package.json", "utf8").matchAll(isPlain)].flatMap(([part]) =>
    part.match(/(?<=%)[\w.]+(?=%)/g),
  );
  assert.ok(keys.includes("walkthrough.continue.description"));
  assert.deepEqual(
    keys.filter((key) => /[*`_]/.test(texts[key ?? ""] ?? "")),
    [],
  );
});

test("every %key% of the manifest has its text, every text is used, and every translation has them all", () => {
  const used = new Set(Array.from(readFileSync("package.json", "utf8").matchAll(/"%([^%"]+)%"/g), ([, key]) => key));
  const bundles = readdirSync(".").filter((name) => /^package\.nls(\..+)?\.json$/.test(name));
  for (const name of bundles) {
    const texts = Object.keys(JSON.parse(readFileSync(name, "utf8")));
    assert.deepEqual(texts.toSorted(), [...used].toSorted(), name);
  }
});

test("every module says in its first line, in one sentence, what it is", () => {
  const silent = modules().filter(({ text }) => !/^\/\*\* .+[.!] \*\/\n/.test(text));
  assert.deepEqual(
    silent.map(({ file }) => file),
    [],
  );
});

test("every command of the manifest does something, and every other is one that only our own links lead to", () => {
  const built = ROOMS.flatMap(names);
  assert.equal(new Set(built).size, built.length, "two rooms offer one command");
  assert.deepEqual(
    COMMANDS.filter((command) => !built.includes(command)),
    [],
  );
  const linked = modules()
    .map(({ text }) => text)
    .join("\n");
  const unknown = built.filter((command) => !COMMANDS.includes(command) && !linked.includes(command));
  assert.deepEqual(unknown, []);
});

test("the palette has every command: only a twin of one that stands there is hidden", () => {
  const { commands, menus } = MANIFEST.contributes;
  const hidden = menus.commandPalette.filter(({ when }) => when === "false").map(({ command }) => command);
  const shown = commands.filter(({ command }) => !hidden.includes(command)).map(({ title }) => title);
  const missing = commands.filter(({ command, title }) => hidden.includes(command) && !shown.includes(title));
  assert.deepEqual(missing, []);
});

test("every command that the code, the manifest or the walkthrough names is one of ours", () => {
  const texts = [...modules().map(({ text }) => text), readFileSync("package.json", "utf8"), ...translations()];
  const named = texts.flatMap((text) => Array.from(text.matchAll(/compactChat\.ui\.(\w+)/g), ([command]) => command));
  const built = ROOMS.flatMap(names);
  assert.deepEqual(
    [...new Set(named)].filter((command) => !built.includes(command)),
    [],
  );
});

test("the README names every setting with its default", () => {
  const rows = readFileSync("README.md", "utf8").matchAll(/^\| `(compactChat\.[\w.]+)` \| (?:`(.+?)` )?\|/gm);
  const told = Array.from(rows, ([, name = "", value = ""]) => [name, value]);
  const settings = Object.entries(MANIFEST.contributes.configuration.properties);
  const expected = settings.map(([name, { default: value }]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  assert.deepEqual(told, expected);
});

test("extension and server have one version", () => {
  const [, server] = /__version__ = "(.+)"/.exec(readFileSync("../server/compact_chat/__init__.py", "utf8")) ?? [];
  assert.equal(MANIFEST.version, server);
});

test("the walkthrough has four steps, each with a picture, words for it, and a way to be done", () => {
  const steps = MANIFEST.contributes.walkthroughs.flatMap((one) => one.steps);
  assert.equal(steps.length, 4);
  for (const { media, completionEvents } of steps) {
    assert.deepEqual(Object.keys(media.image).sort(), ["dark", "hc", "hcLight", "light"]);
    assert.match(media.altText, /^%.+%$/);
    assert.ok(completionEvents.length > 0);
  }
});

test("every picture of the walkthrough and of the README is there", () => {
  const steps = MANIFEST.contributes.walkthroughs.flatMap((one) =>
    one.steps.flatMap(({ media }) => Object.values(media.image)),
  );
  const shown = readFileSync("README.md", "utf8").matchAll(/!\[[^\]]*\]\((?!https:)([^)]+)\)/g);
  const pictures = [...steps, ...Array.from(shown, ([, picture = ""]) => picture)];
  assert.deepEqual(
    pictures.filter((picture) => !existsSync(picture)),
    [],
  );
});

function modules(folder = "src"): { file: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.map((name) => ({ file: join(folder, name), text: readFileSync(join(folder, name), "utf8") }));
}

function translations(): string[] {
  return readdirSync(".").flatMap((name) => (/^package\.nls.*\.json$/.test(name) ? [readFileSync(name, "utf8")] : []));
}

/** Says where a literal holds words: our name, icons, placeholders and what is computed are none. */
function wordsIn(match: RegExpMatchArray, file: string): string[] {
  const text = match.groups?.text ?? "";
  const words = text.replace(/\$\([^)]*\)|\$\{[^}]*\}?|Compact Chat/g, "");
  return /\p{L}{2}/u.test(words) ? [`${file}: ${text.slice(0, 80)}`] : [];
}

function names(commands: (house: House) => Commands): string[] {
  return Object.keys(commands(anyHouse())).map((name) => PREFIX + name);
}

/** A house whose every part takes everything: rooms only keep it until a command runs. */
function anyHouse(): House {
  const part: object = new Proxy(() => part, { get: () => part });
  return part as House;
}
