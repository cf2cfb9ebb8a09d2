// Checks before a release that package.json names the repository at $ADDRESS, and that tag, package.json and CHANGELOG.md
// have one version. Prints whether it is a pre-release: by the Marketplace's custom, one with an odd second number.

import { readFile } from "node:fs/promises";

const read = (name) => readFile(new URL(`../${name}`, import.meta.url), "utf8");
const { repository, version } = JSON.parse(await read("package.json"));
const { ADDRESS = "", GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
const address = repository?.url?.replace(/^git\+|\.git$/g, "");
const problems = [
  address !== ADDRESS &&
    `"repository" in vscode-client/package.json must be ${ADDRESS}, and is ${address ?? "missing"}.`,
  GITHUB_REF_TYPE === "tag" &&
    GITHUB_REF_NAME !== `v${version}` &&
    `The tag must be v${version}, and is ${GITHUB_REF_NAME}.`,
  !(await read("CHANGELOG.md")).includes(`## ${version}\n`) && `vscode-client/CHANGELOG.md has no section ${version}.`,
].filter(Boolean);
for (const problem of problems) {
  console.error(problem);
}
process.exitCode = problems.length > 0 ? 1 : 0;
console.log(`pre-release=${Number(version.split(".")[1]) % 2 === 1}`);
