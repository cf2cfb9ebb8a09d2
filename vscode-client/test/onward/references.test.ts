/** What of an old chat the input of the panel would take for something to do. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutReferences } from "../../src/onward/references";

const JOINED = "#\u2060";

test("no name behind a sign is a reference any more, whoever has a tool that is called so", () => {
  for (const name of ["codebase", "todos", "edit", "runSubagent", "github/search", "my_server", "file:a.ts", "4ever"]) {
    assert.equal(withoutReferences(`ask #${name}.`), `ask ${JOINED}${name}.`);
  }
  assert.equal(withoutReferences("#one\n#two\t#three"), `${JOINED}one\n${JOINED}two\t${JOINED}three`);
});

test("headings, issues, colours and addresses stay as they are", () => {
  const kept = "# codebase\n## more\n#42 #fff #1e90ff, https://e.org/#todos https://e.org/a#todos [a](#todos) a#b #";
  assert.equal(withoutReferences(kept), kept);
});

test("what only begins like a colour is a name", () => {
  assert.equal(withoutReferences("#fetch #add-file"), `${JOINED}fetch ${JOINED}add-file`);
});

test("a text that is opened once more stays the same", () => {
  const once = withoutReferences("ask #codebase");
  assert.equal(withoutReferences(once), once);
});

test("a megabyte of signs is read in a moment", () => {
  const begun = performance.now();
  for (const part of ["#", "#a", " #a", " #", "a-", "#1", "1"]) {
    withoutReferences(`#${part.repeat(1_000_000 / part.length)}!`);
  }
  assert.ok(performance.now() - begun < 2_000);
});
