// Bundles the extension into dist/, and tells which files went into it.

import { build } from "esbuild";

export const shared = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

const CLIENT = "vscode-languageclient/node";

/** The language client stands in a file of its own, so that an editor that starts reads only what it needs then. */
export async function bundleExtension(folder = "dist") {
  const common = { ...shared, external: ["vscode"], minify: true, metafile: true };
  const bundles = await Promise.all([
    build({ ...common, entryPoints: ["src/extension.ts"], outfile: `${folder}/extension.js`, plugins: [apart] }),
    build({ ...common, entryPoints: [CLIENT], outfile: `${folder}/client.js` }),
  ]);
  return bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

const apart = {
  name: "apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^${CLIENT}$`) }, () => ({ path: "./client.js", external: true })),
};
