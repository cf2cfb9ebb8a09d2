// Bundles the extension into dist/; with --tests the test files into out/test/, with a stand-in for `vscode`.

import { readdir, rm } from "node:fs/promises";
import { build } from "esbuild";
import { bundleExtension, shared } from "./bundle.mjs";

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

await (process.argv.includes("--tests") ? bundleTests() : bundleExtension());
