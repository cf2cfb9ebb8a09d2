// Bundles the page of the main screen into the server's package, which serves it to browsers.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";

const PAGE = "../server/compact_chat/page";

/** Writes the page's files; with `check`, only returns the names of those that are not current. */
export async function buildPage({ check = false } = {}) {
  const files = await bundlePage();
  const old = await Promise.all([...files].map(async ([name, text]) => ((await current(name)) === text ? [] : [name])));
  if (!check) {
    await mkdir(PAGE, { recursive: true });
    await Promise.all([...files].map(([name, text]) => writeFile(`${PAGE}/${name}`, text)));
  }
  return old.flat();
}

/** The page's files, by their names. */
async function bundlePage() {
  const { outputFiles } = await bundled();
  const files = outputFiles.map(({ path, text }) => [basename(path), text]);
  return new Map([...files, ["index.html", await readFile("page/index.html", "utf8")]]);
}

/** Names the files that go into the page. */
export async function pageInputs() {
  return Object.keys((await bundled()).metafile.inputs);
}

function bundled() {
  return build({
    entryPoints: ["page/page.ts", "page/page.css"],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: "esm",
    target: ["es2023", "chrome123", "firefox121", "safari17.5"],
    outdir: PAGE,
    logLevel: "warning",
    charset: "utf8",
  });
}

function current(name) {
  return readFile(`${PAGE}/${name}`, "utf8").catch(() => "");
}
