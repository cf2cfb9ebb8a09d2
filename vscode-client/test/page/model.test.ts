/** The page's model and its Markdown, without a browser: what it asks of its host, and what it makes of a text. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Child } from "../../page/dom";
import { blocks } from "../../page/markdown";
import { Port } from "../../page/port";
import { Screen } from "../../page/screen";
import { shown } from "../../page/shown";
import type { Draft, Preview } from "../../src/wire";
import { draftOf } from "../made";

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

beforeEach(() => {
  Object.assign(globalThis, { window: { setTimeout, clearTimeout } });
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A screen that shows a draft, with a host that a test answers for. */
function scene() {
  const sent: Sent[] = [];
  let hear = (_message: object) => undefined as unknown;
  const channel = {
    send: (message: object) => void sent.push(message as Sent),
    listen: (heard: (message: unknown) => void) => {
      hear = heard;
    },
  };
  const seen = { drawn: 0 };
  const port = new Port(channel, () => undefined);
  const screen = new Screen(port, () => {
    seen.drawn += 1;
  });
  screen.draft = draftOf("New.", 2, { conflict: { text: "Mine." } });
  screen.conflict = "Mine.";
  const answer = async (given: object) => {
    hear({ id: sent.at(-1)?.id, ...given });
    await settled();
  };
  const stream = (text: string) => {
    hear({
      method: "$/progress",
      params: { token: sent.at(-1)?.params.partialResultToken, value: { kind: "text", text } },
    });
  };
  return { screen, sent, seen, answer, stream };
}

const model = (name: string, confirmed = false) =>
  ({ actions: [], model: { provider: "anthropic", name, confirmed } }) as const;

test("an edit that is given up for the new version is given up on the server too", async () => {
  const { screen, sent, answer } = scene();
  screen.discard();
  const { version, text } = sent.at(-1)?.params ?? {};
  assert.deepEqual([version, text], [2, "New."]);
  await answer({ result: draftOf("New.", 3, { conflict: null }) });
  assert.equal(screen.conflict, undefined);
});

test("work that fails on a closed connection is drawn as ended, and the edit stays", async () => {
  const { screen, seen, answer } = scene();
  screen.show({ editing: { text: "Mine.", before: "New.", version: 2 } });
  screen.close();
  screen.save();
  const before = seen.drawn;
  await answer({ error: { message: "The connection is closed.", data: { kind: "closed" } } });
  assert.ok(seen.drawn > before);
  assert.deepEqual([screen.work, screen.trouble, screen.editing?.text], [undefined, undefined, "Mine."]);
});

test("what is typed while an edit is saved stays in the editor, and is saved next", async () => {
  const { screen, sent, answer } = scene();
  const editing = { text: "Mine.", before: "New.", version: 2 };
  screen.show({ editing });
  screen.save();
  screen.save();
  editing.text = "Mine. More.";
  await answer({ result: draftOf("Mine.", 3) });
  assert.equal(screen.editing?.text, "Mine. More.");
  screen.save();
  await answer({ result: draftOf("Mine. More.", 4) });
  assert.equal(screen.editing, undefined);
  assert.deepEqual(
    sent.map(({ params: { text, version } }) => [text, version]),
    [
      ["Mine.", 2],
      ["Mine. More.", 3],
    ],
  );
});

test("an edit that comes too late is in the page alone, until it is used or given up", async () => {
  const { screen, answer } = scene();
  assert.equal(screen.isUnsaved, false, "the server has it");
  screen.show({ editing: { text: "Yours.", before: "New.", version: 2 }, conflict: undefined });
  assert.equal(screen.isUnsaved, true);
  screen.save();
  const draft = draftOf("Newer.", 7, { conflict: null });
  await answer({ error: { message: "It has changed.", data: { kind: "draftOutdated", draft } } });
  assert.deepEqual([screen.conflict, screen.editing, screen.isUnsaved], ["Yours.", undefined, true]);
  screen.discard();
  assert.equal(screen.isUnsaved, false);
});

test("what is chosen while a change is under way is shown, and sent after it", async () => {
  const { screen, sent, answer } = scene();
  const drafted = (version: number, addBack: string[]) => draftOf("New.", version, { addBack, options: {} });
  screen.draft = drafted(2, []);
  screen.choose(({ addBack }) => ({ addBack: [...addBack, "a"] }));
  screen.choose(({ addBack }) => ({ addBack: [...addBack, "b"] }));
  assert.deepEqual(screen.wanted(screen.draft).addBack, ["a", "b"]);
  await answer({ result: drafted(3, ["a"]) });
  await answer({
    error: { message: "It has changed.", data: { kind: "draftOutdated", draft: drafted(7, ["a", "c"]) } },
  });
  await answer({ result: drafted(8, ["a", "c", "b"]) });
  assert.deepEqual(
    sent.map(({ params: { version, addBack, options } }) => [version, addBack, options]),
    [
      [2, ["a"], undefined],
      [3, ["a", "b"], undefined],
      [7, ["a", "c", "b"], undefined],
    ],
  );
  assert.equal(screen.isBusy, false);
});

test("what a model writes is drawn once in a while, however many pieces come", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, { window: { setTimeout, clearTimeout } });
  const { screen, seen, stream } = scene();
  screen.host = model("Haiku", true) as never;
  screen.rewrite();
  const before = seen.drawn;
  for (const piece of ["One ", "two ", "three."]) {
    stream(piece);
  }
  assert.deepEqual([seen.drawn, screen.work?.text], [before, "One two three."]);
  t.mock.timers.tick(1000);
  assert.equal(seen.drawn, before + 1);
});

test("another try of a rewrite asks again if another model would write", async () => {
  const { screen, sent, answer } = scene();
  screen.host = model("Haiku") as never;
  screen.rewrite(model("Haiku").model);
  await answer({ error: { code: -32050, message: "It failed." } });
  screen.trouble?.again?.();
  assert.equal(sent.length, 2, "the same model was agreed to");
  await answer({ error: { code: -32050, message: "It failed." } });
  screen.host = model("Opus") as never;
  screen.trouble?.again?.();
  assert.deepEqual([sent.length, screen.consent], [2, { isKept: false }]);
});

test("while an edit is open nothing makes another version of its draft, nor opens another draft", () => {
  const { screen, sent } = scene();
  screen.host = model("Haiku", true) as never;
  screen.show({ editing: { text: "Mine.", before: "New.", version: 2 } });
  screen.rewrite();
  screen.choose(() => ({ style: "brief" }));
  screen.restore(1);
  screen.run("open", "other");
  assert.deepEqual([sent, screen.isBusy], [[], false]);
  assert.ok(screen.trouble);
});

function codes(shown: Child): string[] {
  if (typeof shown !== "object" || shown === null) {
    return [];
  }
  return "type" in shown
    ? shown.type === "code"
      ? [words(shown)]
      : codes(shown.props.children as Child)
    : shown.flatMap(codes);
}

function words(shown: Child): string {
  if (typeof shown !== "object" || shown === null) {
    return String(shown || "");
  }
  return "type" in shown ? words(shown.props.children as Child) : shown.map(words).join("");
}

test("code ends at the next run of as many backticks, and runs without an end are text", () => {
  const text = "a `b` ``c ` d`` ```e ` **f** g";
  const [block] = blocks(text, (part) => part);
  assert.deepEqual(block && codes(block.node), ["b", "c ` d"]);
});

test("each text is drawn at its offset, in order, without the marks and indents around it", () => {
  const text =
    "# A *b*\n\n> c\n>  d\n> ```py\n> e\n> ```\n\n2. [x] f\n   g\n   - h \\* <i>\n\n|i|\n|-|\n|`j`|\n\n[k] &amp;";
  const found: [string, number][] = [];
  const [first, ...others] = blocks(text, (part, at) => {
    found.push([part, at]);
    return part;
  });
  assert.deepEqual(
    found.map(([part, at]) => text.slice(at, at + part.length)),
    found.map(([part]) => part),
  );
  const places = found.filter(([part]) => part !== "").map(([, at]) => at);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  assert.equal(words([first?.node, ...others.map(({ node }) => node)]), "A bc\n de☑ f\ngh * <i>ij[k] &amp;");
});

test("a line below a table is none of its rows", () => {
  const text = "|a|b|\n|-|-|\n|c|d|\nThen `e`.";
  const [block] = blocks(text, (part) => part);
  const cells = (shown: Child): [string, unknown][] => {
    if (typeof shown !== "object" || shown === null) {
      return [];
    }
    if (!("type" in shown)) {
      return shown.flatMap(cells);
    }
    const { children, colspan } = shown.props as { children: Child; colspan?: number };
    return shown.type === "td" ? [[words(children), colspan]] : cells(children);
  };
  const row = ["a", "b", "c", "d"].map((one) => [one, undefined]);
  assert.deepEqual(cells(block?.node), [...row, ["Then e.", 99]]);
});

test("a very long paragraph is plain text, since finding its marks would take too long", () => {
  const text = "[a](".repeat(50_000);
  assert.equal(words(blocks(text, (part) => part)[0]?.node), text);
});

test("what is nested very deep is plain text, line by line", () => {
  const [block] = blocks(`${"- ".repeat(1_000_000)}x\n${"> ".repeat(30)}y\nz`, (part) => part);
  assert.match(words(block?.node), /^(- )+x$/);
  const [quote] = blocks(`${"> ".repeat(30)}y\n${"> ".repeat(30)}z`, (part) => part);
  assert.equal(words(quote?.node), `${"> ".repeat(11)}y${"> ".repeat(11)}z`);
});

test("work on a wide table grows with the text alone", () => {
  const [head, line, row] = ["|a", "|-", "|b"].map((cell) => `${cell.repeat(200_000)}|\n`);
  const [block] = blocks(`${head}${line}${row}`, (part) => part);
  assert.equal(words(block?.node), "a".repeat(200_000) + "b".repeat(200_000));
});

test("work on backticks grows with the text alone", () => {
  const [block] = blocks(`x ${"`".repeat(200_000)} ${"`` ` ".repeat(20_000)}`, (part) => part);
  assert.ok(block);
});

test("a link shows its words, and its target if that says more", () => {
  const text = "See [the plan](docs/plan.md) and [a.py](a.py).";
  const [block] = blocks(text, (part) => part);
  assert.equal(block && words(block.node), "See the plan docs/plan.md and a.py.");
});

test("the slider has no two stops of one size, and one stop where every length gives one message", () => {
  const names = { 0: "brief", 2: "standard", 4: "full" } as Readonly<Record<number, "brief" | "standard" | "full">>;
  const stops = (...sizes: number[]) => {
    const lengths = sizes.map((message, n) => ({ budget: n + 1, message, name: names[n] ?? null, missing: [] }));
    const draft = draftOf("One.", 1, { preview: { lengths, messages: [] } as unknown as Preview });
    const survival = { classes: [], facts: [] };
    const whole = { ...draft, addBack: [], strip: [], versions: [], options: {}, compaction: { survival } };
    const found = shown(whole as unknown as Draft, { addBack: [], length: "full" });
    return [found.lengths.map(({ budget }) => budget), found.at];
  };
  assert.deepEqual(stops(300, 400, 500, 600, 700), [[1, 2, 3, 4, 5], 4]);
  assert.deepEqual(stops(300, 300, 500, 700, 700), [[1, 3, 5], 2]);
  assert.deepEqual(stops(2443, 2443, 2450, 2501, 2522), [[1, 3], 1]);
  assert.deepEqual(stops(829, 829, 829, 829, 829), [[3], 0]);
});
