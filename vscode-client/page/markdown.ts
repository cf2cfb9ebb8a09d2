/** Markdown of a chat as elements: a small dialect, no HTML, no links that lead anywhere. Each text keeps its offset in the source. */

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
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*$/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const QUOTE = /^ {0,3}>[ \t]?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)/;
const DIVIDER = /^ {0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$/;
const INLINE =
  /(?<!`)(`+)(?!`)|\*\*(?=[^\s*])([\s\S]{1,1000}?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*]{1,500}?)(?<=\S)\*(?![\w*])|\\([!-/:-@[-`{-~])|!?\[([^\][\n]{1,500})\]\(([^()\s]{1,1000})\)/g;

/** Parses a text into blocks. */
export function blocks(text: string, leaf: Leaf): Block[] {
  const lines: Line[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    lines.push({ text: line.endsWith("\r") ? line.slice(0, -1) : line, at });
    at += line.length + 1;
  }
  return new Parser(leaf).blocks(lines, 0);
}

class Parser {
  readonly #leaf: Leaf;

  constructor(leaf: Leaf) {
    this.#leaf = leaf;
  }

  blocks(lines: readonly Line[], depth: number): Block[] {
    const found: Block[] = [];
    let index = 0;
    while (index < lines.length) {
      const line = lines[index] as Line;
      if (line.text.trim() === "") {
        index += 1;
        continue;
      }
      const [node, next, level] = this.#block(lines, index, depth);
      found.push({ node, from: line.at, level });
      index = next;
    }
    return found;
  }

  #nodes(lines: readonly Line[], depth: number): VNode[] {
    return this.blocks(lines, depth).map(({ node }) => node);
  }

  /** The block that begins at a line, the line behind it, and of a heading its level. */
  #block(lines: readonly Line[], index: number, depth: number): [VNode, number, number] {
    const line = lines[index] as Line;
    const heading = HEADING.exec(line.text);
    if (heading !== null) {
      const title = heading[2] ?? "";
      const level = heading[1]?.length ?? 1;
      const at = line.at + line.text.indexOf(title, level);
      return [h(`h${Math.min(6, level + 2)}`, {}, this.#inline(title, at)), index + 1, level];
    }
    if (RULE.test(line.text)) {
      return [h("hr"), index + 1, 0];
    }
    const fence = FENCE.exec(line.text);
    if (fence !== null) {
      return [...this.#code(lines, index, fence[1] ?? "```"), 0];
    }
    if (depth < DEEPEST && QUOTE.test(line.text)) {
      const end = this.#end(lines, index, ({ text }) => QUOTE.test(text));
      const inner = lines.slice(index, end).map((one) => after(one, QUOTE.exec(one.text)?.[0].length ?? 0));
      return [h("blockquote", this.#nodes(inner, depth + 1)), end, 0];
    }
    if (depth < DEEPEST && ITEM.test(line.text)) {
      return [...this.#list(lines, index, depth), 0];
    }
    if (line.text.includes("|") && DIVIDER.test(lines[index + 1]?.text ?? "")) {
      const end = this.#end(lines, index + 2, ({ text }) => text.includes("|"));
      return [this.#table(lines.slice(index, end)), end, 0];
    }
    const end = this.#end(lines, index + 1, ({ text }) => text.trim() !== "" && !isStart(text));
    const shown = lines.slice(index, end).map((one, number) => [number > 0 && "\n", this.#inline(one.text, one.at)]);
    return [h("p", shown), end, 0];
  }

  #end(lines: readonly Line[], from: number, fits: (line: Line) => boolean): number {
    let end = from;
    while (end < lines.length && fits(lines[end] as Line)) {
      end += 1;
    }
    return end;
  }

  #code(lines: readonly Line[], index: number, mark: string): [VNode, number] {
    const closing = new RegExp(`^ {0,3}${mark[0] === "~" ? "~" : "`"}{${mark.length},}[ \t]*$`);
    const end = this.#end(lines, index + 1, ({ text }) => !closing.test(text));
    const shown = lines.slice(index + 1, end).map(({ text, at }) => [this.#leaf(text, at), "\n"]);
    return [h("pre", { tabindex: 0 }, h("code", shown)), Math.min(lines.length, end + 1)];
  }

  #list(lines: readonly Line[], index: number, depth: number): [VNode, number] {
    const first = ITEM.exec((lines[index] as Line).text);
    const isOrdered = /\d/.test(first?.[2] ?? "");
    const entries: VNode[] = [];
    let at = index;
    while (at < lines.length) {
      const line = lines[at] as Line;
      const found = ITEM.exec(line.text);
      if (found === null || /\d/.test(found[2] ?? "") !== isOrdered || RULE.test(line.text)) {
        break;
      }
      const inset = (found[1]?.length ?? 0) + (found[2]?.length ?? 1) + Math.min(4, found[3]?.length ?? 1);
      const end = this.#endOfItem(lines, at + 1, inset);
      const inner = [
        after(line, found[0].length),
        ...lines.slice(at + 1, end).map((one) => after(one, indent(one, inset))),
      ];
      entries.push(this.#item(inner, depth));
      at = end;
    }
    const start = isOrdered ? { start: Number.parseInt(first?.[2] ?? "1", 10) } : {};
    return [h(isOrdered ? "ol" : "ul", start, entries), at];
  }

  #endOfItem(lines: readonly Line[], from: number, inset: number): number {
    let end = from;
    let blank = 0;
    while (end + blank < lines.length) {
      const line = lines[end + blank] as Line;
      if (line.text.trim() === "") {
        blank += 1;
      } else if (indent(line, inset) === inset || (indent(line, 2) === 2 && !isStart(line.text))) {
        end += blank + 1;
        blank = 0;
      } else {
        break;
      }
    }
    return end;
  }

  #item(inner: readonly Line[], depth: number): VNode {
    const [first, ...rest] = inner as [Line, ...Line[]];
    const box = /^\[([ xX])\] /.exec(first.text);
    const lines = box === null ? inner : [after(first, 4), ...rest];
    const [lead, ...others] = this.#nodes(lines, depth + 1);
    const isOpen = box?.[1] === " ";
    const mark =
      box !== null && h("span", { role: "img", "aria-label": isOpen ? "open" : "done" }, isOpen ? "☐ " : "☑ ");
    return h("li", lead?.tag === "p" ? h("div.line", mark, flat(lead)) : [mark, lead], others);
  }

  #table(lines: readonly Line[]): VNode {
    const [head, , ...rows] = lines as [Line, Line, ...Line[]];
    const row = (line: Line, tag: string) =>
      h(
        "tr",
        cells(line).map((cell) => h(tag, {}, this.#inline(cell.text, cell.at))),
      );
    const [title, ...body] = [row(head, "th"), ...rows.map((line) => row(line, "td"))];
    return h("div.wide", { tabindex: 0 }, h("table", h("thead", title), h("tbody", body)));
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

  /** A link that leads nowhere: its words, and its target behind them unless that says the same. */
  #reference(label: string, target: string, at: number): Child {
    const shown = h("span.reference", this.#inline(label, at));
    if (label.replace(/`/g, "") === target) {
      return shown;
    }
    return [shown, " ", h("span.quiet", this.#leaf(target, at + label.length + 2))];
  }
}

/** Where the code that begins at each run of backticks ends: at the next run of the same length. */
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

function flat(node: VNode): Child[] {
  return node.children.map((child) => ("tag" in child ? child : child.text));
}

function after({ text, at }: Line, length: number): Line {
  return { text: text.slice(length), at: at + Math.min(length, text.length) };
}

/** How many of a line's first characters are spaces, at most so many. */
function indent({ text }: Line, most: number): number {
  let found = 0;
  while (found < most && text[found] === " ") {
    found += 1;
  }
  return found;
}

function isStart(text: string): boolean {
  return HEADING.test(text) || FENCE.test(text) || QUOTE.test(text) || ITEM.test(text) || RULE.test(text);
}

function cells({ text, at }: Line): Line[] {
  const found: Line[] = [];
  let from = /^[ \t]*\|?/.exec(text)?.[0].length ?? 0;
  const end = text.length - (/\|[ \t]*$/.exec(text)?.[0].length ?? 0);
  while (from <= end) {
    const bar = text.indexOf("|", from);
    const to = bar < 0 || bar > end ? end : bar;
    const cell = text.slice(from, to);
    const lead = cell.length - cell.trimStart().length;
    found.push({ text: cell.trim(), at: at + from + lead });
    from = to + 1;
  }
  return found;
}
