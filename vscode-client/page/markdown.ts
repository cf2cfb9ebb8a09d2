/** Parses Markdown into elements: a small dialect without HTML and without live links. Each text keeps its offset in the source. */

import { type Child, h, type VNode } from "./dom";

/** A line without the marks of the blocks around it, and where it begins in the source. */
interface Line {
  readonly text: string;
  readonly at: number;
}

/** A block on the top level; headings have a level. */
export interface Block {
  readonly node: VNode;
  readonly from: number;
  readonly level: number;
}

/** Shows a stretch of the source, which begins at an offset. */
export type Leaf = (text: string, at: number) => Child;

const DEEPEST = 10;
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const QUOTE = /^ {0,3}>[ \t]?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)/;
const DIVIDER = /^ {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/;
const INLINE =
  /(?<!`)(`+)(?!`)|\*\*(?=[^\s*])([\s\S]{1,1000}?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*]{1,500}?)(?<=\S)\*(?![\w*])|\\([!-/:-@[-`{-~])|!?\[([^\][\n]{1,500})\]\(([^()\s]{1,1000})\)/g;

export function blocks(text: string, leaf: Leaf): Block[] {
  let at = 0;
  const lines = text.split("\n").map((line): Line => {
    at += line.length + 1;
    return { text: line.endsWith("\r") ? line.slice(0, -1) : line, at: at - line.length - 1 };
  });
  return new Parser(lines, leaf, 0).blocks();
}

class Parser {
  readonly #lines: readonly Line[];
  readonly #leaf: Leaf;
  readonly #depth: number;
  #next = 0;

  constructor(lines: readonly Line[], leaf: Leaf, depth: number) {
    [this.#lines, this.#leaf, this.#depth] = [lines, leaf, depth];
  }

  blocks(): Block[] {
    const found: Block[] = [];
    for (let line = this.#lines[0]; line !== undefined; line = this.#lines[this.#next]) {
      if (line.text.trim() === "") {
        this.#next += 1;
      } else {
        const level = HEADING.exec(line.text)?.[1]?.length ?? 0;
        found.push({ node: level > 0 ? this.#heading(line, level) : this.#block(line), from: line.at, level });
      }
    }
    return found;
  }

  #take(fits: (text: string) => boolean): Line[] {
    const from = this.#next;
    while (this.#next < this.#lines.length && fits(this.#lines[this.#next]?.text ?? "")) {
      this.#next += 1;
    }
    return this.#lines.slice(from, this.#next);
  }

  #within(lines: readonly Line[]): VNode[] {
    return new Parser(lines, this.#leaf, this.#depth + 1).blocks().map(({ node }) => node);
  }

  #heading({ text, at }: Line, level: number): VNode {
    this.#next += 1;
    const title = (HEADING.exec(text)?.[2] ?? "").trimEnd();
    return h(`h${Math.min(6, level + 2)}`, {}, this.#inline(title, at + text.indexOf(title, level)));
  }

  #block({ text }: Line): VNode {
    const fence = FENCE.exec(text)?.[1];
    if (RULE.test(text)) {
      this.#next += 1;
      return h("hr");
    }
    if (fence !== undefined) {
      return this.#code(fence);
    }
    if (this.#depth < DEEPEST && QUOTE.test(text)) {
      const lines = this.#take((line) => QUOTE.test(line));
      return h("blockquote", this.#within(lines.map((line) => after(line, QUOTE.exec(line.text)?.[0].length ?? 0))));
    }
    if (this.#depth < DEEPEST && ITEM.test(text)) {
      return this.#list(text);
    }
    if (text.includes("|") && DIVIDER.test(this.#lines[this.#next + 1]?.text ?? "")) {
      return this.#table(this.#take((line) => line.includes("|")));
    }
    this.#next += 1;
    const from = this.#next - 1;
    this.#take((line) => line.trim() !== "" && !isStart(line));
    const lines = this.#lines.slice(from, this.#next);
    const shown = lines.map((line, number) => [number > 0 && "\n", this.#inline(line.text, line.at)]);
    return h("p", shown);
  }

  #code(mark: string): VNode {
    this.#next += 1;
    const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \t]*$`);
    const shown = this.#take((line) => !closing.test(line)).map(({ text, at }) => [this.#leaf(text, at), "\n"]);
    this.#next += 1;
    return h("pre", { tabindex: 0 }, h("code", shown));
  }

  #list(first: string): VNode {
    const number = Number.parseInt(first, 10);
    const isOrdered = !Number.isNaN(number);
    const items: VNode[] = [];
    for (let line = this.#lines[this.#next]; line !== undefined; line = this.#lines[this.#next]) {
      const [mark, before = "", sign = "", space = " "] = ITEM.exec(line.text) ?? [];
      if (mark === undefined || /\d/.test(sign) !== isOrdered || RULE.test(line.text)) {
        break;
      }
      this.#next += 1;
      const inset = before.length + sign.length + Math.min(4, space.length);
      const rest = this.#restOfItem(inset).map((one) => after(one, indent(one.text, inset)));
      items.push(this.#item(after(line, mark.length), rest));
    }
    return h(isOrdered ? "ol" : "ul", isOrdered ? { start: number } : {}, items);
  }

  /** The lines that go on with an item, blank ones between them too. */
  #restOfItem(inset: number): Line[] {
    const from = this.#next;
    let end = from;
    this.#take((line) => {
      const isBlank = line.trim() === "";
      const isIn = indent(line, inset) === inset || (indent(line, 2) === 2 && !isStart(line));
      end = isIn && !isBlank ? this.#next + 1 : end;
      return isIn || isBlank;
    });
    this.#next = end;
    return this.#lines.slice(from, end);
  }

  #item(first: Line, rest: readonly Line[]): VNode {
    const box = /^\[([ xX])\] /.exec(first.text);
    const [lead, ...others] = this.#within([box === null ? first : after(first, 4), ...rest]);
    const isOpen = box?.[1] === " ";
    const mark =
      box !== null && h("span", { role: "img", "aria-label": isOpen ? "open" : "done" }, isOpen ? "☐ " : "☑ ");
    return h("li", lead?.tag === "p" ? h("div.line", mark, lead.children) : [mark, lead], others);
  }

  #table([head, , ...rows]: readonly Line[]): VNode {
    const row = (tag: string, line: Line) =>
      h(
        "tr",
        cells(line).map(({ text, at }) => h(tag, {}, this.#inline(text, at))),
      );
    const body = h(
      "tbody",
      rows.map((line) => row("td", line)),
    );
    return h("div.wide", { tabindex: 0 }, h("table", h("thead", head && row("th", head)), body));
  }

  #inline(text: string, at: number): Child[] {
    const shown: Child[] = [];
    const closing = closings(text);
    const marks = new RegExp(INLINE);
    let last = 0;
    for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
      const from = found.index;
      const [whole, ticks, bold, em, escaped, label, target] = found;
      const close = closing.get(from);
      if (ticks !== undefined && close === undefined) {
        continue;
      }
      shown.push(this.#leaf(text.slice(last, from), at + last));
      last = from + whole.length;
      if (ticks !== undefined && close !== undefined) {
        shown.push(h("code", this.#leaf(text.slice(last, close), at + last)));
        last = close + ticks.length;
        marks.lastIndex = last;
      } else if (bold !== undefined) {
        shown.push(h("strong", this.#inline(bold, at + from + 2)));
      } else if (em !== undefined) {
        shown.push(h("em", this.#inline(em, at + from + 1)));
      } else if (label !== undefined && target !== undefined) {
        shown.push(this.#reference(label, target, at + from + whole.indexOf("[") + 1));
      } else {
        shown.push(this.#leaf(escaped ?? "", at + from + 1));
      }
    }
    shown.push(this.#leaf(text.slice(last), at + last));
    return shown;
  }

  /** A link as text: its label, and its target unless that is the same. */
  #reference(label: string, target: string, at: number): Child {
    const shown = h("span.reference", this.#inline(label, at));
    if (label.replace(/`/g, "") === target) {
      return shown;
    }
    return [shown, " ", h("span.quiet", this.#leaf(target, at + label.length + 2))];
  }
}

/** Maps each run of backticks to the next run of the same length, where its code ends. */
function closings(text: string): Map<number, number> {
  const found = new Map<number, number>();
  const open = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const from = open.get(run.length);
    if (from !== undefined) {
      found.set(from, index);
    }
    open.set(run.length, index);
  }
  return found;
}

function after({ text, at }: Line, length: number): Line {
  return { text: text.slice(length), at: at + Math.min(length, text.length) };
}

/** How many of a line's first characters are spaces, at most so many. */
function indent(text: string, most: number): number {
  return Math.min(most, /^ */.exec(text)?.[0].length ?? 0);
}

function isStart(text: string): boolean {
  return HEADING.test(text) || FENCE.test(text) || QUOTE.test(text) || ITEM.test(text) || RULE.test(text);
}

function cells(line: Line): Line[] {
  const from = /^[ \t]*\|?/.exec(line.text)?.[0].length ?? 0;
  const inner = line.text.slice(from).replace(/\|[ \t]*$/, "");
  let at = line.at + from;
  return inner.split("|").map((cell) => {
    at += cell.length + 1;
    return { text: cell.trim(), at: at - cell.trimStart().length - 1 };
  });
}
