// Writes the notice of the libraries that are bundled, with the text of each licence.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Gives the notice for the files that went into a bundle. */
export async function noticeFor(inputs) {
  const names = inputs.map((input) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const libraries = [...new Set(names.filter((name) => name !== undefined))].sort();
  const parts = await Promise.all(libraries.map(partFor));
  return [`The extension contains these libraries.\n`, ...parts].join("\n");
}

async function partFor(name) {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[sc]e/i.test(entry));
  if (file === undefined) {
    throw new Error(`${name} is bundled, but has no text of its licence.`);
  }
  return `${"-".repeat(80)}\n${name} ${version} (${license})\n\n${await readFile(join(folder, file), "utf8")}`;
}
