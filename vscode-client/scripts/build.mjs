// Bundles the extension into dist/, and with --page the page into the server's package (--check: is it current?); with --tests the test files into out/test/, with a stand-in for `vscode`.

import { readdir, rm } from "node:fs/promises";
import { build } from "esbuild";
import { bundleExtension, shared } from "./bundle.mjs";
import { buildPage } from "./page.mjs";

async function bundleTests() {
  await rm("out", { recursive: true, force: true });
  const found = await readdir("test", { recursive: true });
  await build({
    ...shared,
    entryPoints: found.filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`),
    outdir: "out/test",
    outbase: "test",
    alias: { vscode: "./test/fakes/vscode.ts" },
    sourcemap: "inline",
  });
}

async function page() {
  const check = process.argv.includes("--check");
  const old = await buildPage({ check });
  if (check && old.length > 0) {
    console.error(`Run npm run build:page: ${old.join(", ")} in server/compact_chat/page/ differs from its sources.`);
    process.exitCode = 1;
  }
}

const [what] = process.argv.slice(2);
await ({ "--tests": bundleTests, "--page": page }[what] ?? bundleExtension)();
