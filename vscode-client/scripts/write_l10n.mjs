// Collects the sentences of src/ into l10n/bundle.l10n.json; with --check it only says what differs, there and in the translations.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = "l10n";
const BASE = "bundle.l10n.json";
const CALL = /(?<![\w$])t\(\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\s*([,)])|([^\s)]{1,40}))/g;
const SIGNATURE = /^\w+:$/;

async function sources() {
  const names = await readdir("src", { recursive: true });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join("src", name));
}

/** Gives each sentence, and says where one is put together so that it cannot be collected. */
async function collected() {
  const sentences = new Set();
  const faults = [];
  for (const file of await sources()) {
    for (const [, literal, , other] of (await readFile(file, "utf8")).matchAll(CALL)) {
      if (literal) {
        sentences.add(unquoted(literal));
      } else if (!SIGNATURE.test(other)) {
        faults.push(`${file}: t(${other} … must begin with one whole sentence`);
      }
    }
  }
  return { sentences: [...sentences].sort(), faults };
}

function unquoted(literal) {
  return JSON.parse(
    `"${literal
      .slice(1, -1)
      .replace(/\\(['`])/g, "$1")
      .replace(/(?<!\\)"/g, '\\"')}"`,
  );
}

/** Says what a bundle lacks, what it has too much, and which placeholders a translation lost. */
async function differences(name, sentences) {
  const bundle = JSON.parse(await readFile(join(FOLDER, name), "utf8").catch(() => "{}"));
  return [
    ...sentences.filter((one) => !(one in bundle)).map((one) => `${name} lacks: ${one}`),
    ...Object.keys(bundle).flatMap((one) => (sentences.includes(one) ? [] : [`${name} has no use for: ${one}`])),
    ...Object.entries(bundle).flatMap(([one, said]) =>
      places(one) === places(said) ? [] : [`${name} has other placeholders than: ${one}`],
    ),
  ];
}

function places(sentence) {
  return [...new Set(sentence.match(/\{\d\}/g))].sort().join();
}

const { sentences, faults } = await collected();
if (!process.argv.includes("--check")) {
  const base = Object.fromEntries(sentences.map((one) => [one, one]));
  await writeFile(join(FOLDER, BASE), `${JSON.stringify(base, undefined, 2)}\n`);
}
const bundles = new Set([BASE, ...(await readdir(FOLDER)).filter((name) => /^bundle\.l10n\..*json$/.test(name))]);
for (const name of bundles) {
  faults.push(...(await differences(name, sentences)));
}
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
}
