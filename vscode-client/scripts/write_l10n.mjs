// Collects the sentences of src/, and the names in the page's tables, into l10n/bundle.l10n.json, from which translations are made; with --check it only says whether that is current.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const BUNDLE = "l10n/bundle.l10n.json";
const CALL = /(?<![\w$])t\(\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)\s*[,)]|([^\s)]{1,40}))/g;

const contents = 'export { CLASSES } from "./src/tools"; export { PARTS, classTitle } from "./page/words";';
const stdin = { contents, resolveDir: "." };
const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "esm" });
const table = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
const { PARTS, CLASSES, classTitle } = await import(table);
const sentences = new Set([...PARTS.map(([, name]) => name), ...Object.keys(CLASSES).map(classTitle)]);
const faults = [];
for (const name of (await readdir("src", { recursive: true })).filter((one) => one.endsWith(".ts"))) {
  for (const [, literal, other] of (await readFile(join("src", name), "utf8")).matchAll(CALL)) {
    if (literal === undefined) {
      faults.push(`${name}: t(${other} … must begin with one whole sentence`);
    } else {
      const inner = literal.slice(1, -1).replace(/\\(['`])/g, "$1");
      sentences.add(JSON.parse(`"${inner.replace(/(?<!\\)"/g, '\\"')}"`));
    }
  }
}
const text = `${JSON.stringify(Object.fromEntries([...sentences].sort().map((one) => [one, one])), undefined, 2)}\n`;
if (!process.argv.includes("--check")) {
  await writeFile(BUNDLE, text);
} else if (text !== (await readFile(BUNDLE, "utf8"))) {
  faults.push(`${BUNDLE} differs from the code`);
}
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
}
