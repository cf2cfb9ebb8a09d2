// Packs the extension with the wheel of the server in it: dist/compact-chat.vsix.

import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { bundleExtension } from "./bundle.mjs";
import { noticeFor } from "./notice.mjs";

const MOST_BYTES = 2_500_000;
const STAGE = "dist/package";
const VSIX = "dist/compact-chat.vsix";
/** What is taken along as it is; nothing else is. */
const COPIED = [
  ["package.json", "package.json"],
  ["README.md", "README.md"],
  ["dist/extension.js", "dist/extension.js"],
  ["dist/client.js", "dist/client.js"],
  ["media", "media"],
  ["l10n", "l10n"],
  ["../LICENSE", "LICENSE"],
  ["../CHANGELOG.md", "CHANGELOG.md"],
  ["../requirements/run.txt", "server/requirements.txt"],
];

async function pack() {
  const bundled = await bundleExtension();
  await rm(STAGE, { recursive: true, force: true });
  await mkdir(join(STAGE, "server"), { recursive: true });
  await stage(bundled);
  await createVSIX({
    cwd: STAGE,
    packagePath: VSIX,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  await rm(STAGE, { recursive: true });
  await expectSmall();
}

async function stage(bundled) {
  const translations = (await readdir(".")).filter((name) => /^package\.nls.*\.json$/.test(name));
  const wheel = await theWheel();
  const copied = [...COPIED, ...translations.map((name) => [name, name]), [join("../dist", wheel), `server/${wheel}`]];
  for (const [from, to] of copied) {
    await cp(from, join(STAGE, to), { recursive: true });
  }
  await writeFile(join(STAGE, "NOTICE"), await noticeFor(bundled));
}

/** Gives the name of the one wheel there is, which must be of the extension's version. */
async function theWheel() {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const wheels = (await readdir("../dist").catch(() => [])).filter((name) => name.endsWith(".whl"));
  if (wheels.length !== 1 || !wheels[0].startsWith(`compact_chat-${version}-`)) {
    const found = wheels.join(", ") || "none";
    throw new Error(`The one wheel in ../dist must be of version ${version}, found: ${found}. Run \`make package\`.`);
  }
  return wheels[0];
}

async function expectSmall() {
  const { size } = await stat(VSIX);
  if (size > MOST_BYTES) {
    throw new Error(`${VSIX} has ${size} bytes; it may have ${MOST_BYTES} at most.`);
  }
  console.log(`${VSIX}: ${size} bytes`);
}

await pack();
