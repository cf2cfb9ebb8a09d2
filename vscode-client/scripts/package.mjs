// Packs the extension: with the wheel for every platform, or with `--target linux-x64` and a server that needs no Python.
// `--pre-release` marks it as one. Addresses come from `repository` in package.json, and stay out while that is missing.

import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createVSIX } from "@vscode/vsce";
import { bundleExtension } from "./bundle.mjs";
import { noticeFor } from "./notice.mjs";
import { pageInputs } from "./page.mjs";

const { target, "pre-release": preRelease } = parseArgs({
  options: { target: { type: "string" }, "pre-release": { type: "boolean", default: false } },
}).values;
const MOST_BYTES = target ? 40_000_000 : 3_000_000;
const STAGE = "dist/package";
const VSIX = `dist/compact-chat${target ? `-${target}` : ""}.vsix`;
/** What is taken along; nothing else is. */
const COPIED = [
  ["README.md", "README.md"],
  ["CHANGELOG.md", "CHANGELOG.md"],
  ["dist/extension.js", "dist/extension.js"],
  ["../server/compact_chat/page", "dist/page"],
  ["media", "media"],
  ["l10n", "l10n"],
  ["../LICENSE", "LICENSE"],
  ["../examples/bakery.jsonl", "example/bakery.jsonl"],
];

async function pack() {
  const bundled = [...(await bundleExtension()), ...(await pageInputs())];
  const manifest = withAddresses(JSON.parse(await readFile("package.json", "utf8")));
  await rm(STAGE, { recursive: true, force: true });
  await mkdir(join(STAGE, "server"), { recursive: true });
  await stage(bundled, manifest);
  const address = manifest.homepage?.replace(/#.*/, "");
  await createVSIX({
    cwd: STAGE,
    packagePath: VSIX,
    dependencies: false,
    preRelease,
    ...(target && { target }),
    ...(address
      ? {
          baseContentUrl: `${address}/blob/v${manifest.version}/vscode-client`,
          baseImagesUrl: `${address}/raw/v${manifest.version}/vscode-client`,
        }
      : { allowMissingRepository: true, rewriteRelativeLinks: false }),
  });
  await rm(STAGE, { recursive: true });
  await expectSmall();
}

function withAddresses(manifest) {
  const url = manifest.repository?.url?.replace(/^git\+|\.git$/g, "");
  return url ? { ...manifest, homepage: `${url}#readme`, bugs: { url: `${url}/issues` } } : manifest;
}

async function stage(bundled, manifest) {
  const names = await readdir(".");
  const translations = names.filter((name) => /^package\.nls.*\.json$/.test(name)).map((name) => [name, name]);
  for (const [from, to] of [...COPIED, ...translations, ...(target ? packedServer() : await wheel(manifest))]) {
    await cp(from, join(STAGE, to), { recursive: true, verbatimSymlinks: true });
  }
  await writeFile(join(STAGE, "package.json"), JSON.stringify(manifest, undefined, 2));
  if (!manifest.homepage) {
    await writeFile(join(STAGE, "README.md"), withoutPictures(await readFile("README.md", "utf8")));
  }
  await writeFile(join(STAGE, "NOTICE"), await noticeFor(bundled));
}

/** The editor draws no picture of a README that has no address, but a sign that it is broken. */
function withoutPictures(text) {
  return text.replace(/^!\[[^\]]*\]\((?!https:)[^)]*\)\n\n/gm, "");
}

/** What scripts/pack_server.py made on this machine, which must be of the platform. */
function packedServer() {
  const here = `${process.platform}-${process.arch}`;
  if (target !== here) {
    throw new Error(`A package for ${target} is made on that platform; this is ${here}.`);
  }
  return [["dist/server", "server/compact-chat"]];
}

/** The one wheel there is, which must be of the extension's version, and its locked requirements. */
async function wheel({ version }) {
  const wheels = (await readdir("../dist").catch(() => [])).filter((name) => name.endsWith(".whl"));
  if (wheels.length !== 1 || !wheels[0].startsWith(`compact_chat-${version}-`)) {
    const found = wheels.join(", ") || "none";
    throw new Error(`The one wheel in ../dist must be of version ${version}, found: ${found}. Run \`make package\`.`);
  }
  return [
    [join("../dist", wheels[0]), `server/${wheels[0]}`],
    ["../requirements/run.txt", "server/requirements.txt"],
  ];
}

async function expectSmall() {
  const { size } = await stat(VSIX);
  if (size > MOST_BYTES) {
    throw new Error(`${VSIX} has ${size} bytes; it may have ${MOST_BYTES} at most.`);
  }
  console.log(`${VSIX}: ${size} bytes`);
}

await pack();
