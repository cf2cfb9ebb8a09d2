// Bundles the extension into a folder, and returns which files went into it.

import { build } from "esbuild";

export const shared = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

export async function bundleExtension(folder = "dist") {
  const { metafile } = await build({
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: `${folder}/extension.js`,
    external: ["vscode"],
    minify: true,
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}
