/** Draws Markdown without HTML and without live links. Each text keeps its offset in the source. */

import type { SyntaxNode } from "@lezer/common";
import { type BlockContext, type Line, parser, Table, TaskList } from "@lezer/markdown";
import { type Child, h, type VNode } from "./dom";

/** A block on the top level; headings have a level. */
export interface Block {
  readonly node: Child;
  readonly from: number;
  readonly level: number;
}

/** Shows a stretch of the source, which begins at an offset. */
export type Leaf = (text: string, at: number) => Child;

const [DEEPEST, LONGEST] = [20, 5000];
/** Chats quote what is indented or looks like HTML, and mean it as text. */
const AS_TEXT = ["HTMLBlock", "HTMLTag", "Entity", "Autolink", "LinkReference", "IndentedCode", "SetextHeading"];
/** The parser looks back from each mark to the beginning of its paragraph, so a very long one is plain text. */
const PLAIN = {
  name: "Plain",
  before: "Escape",
  parse: ({ offset, end }: { offset: number; end: number }) => (end - offset > LONGEST ? end : -1),
};
/** It also looks at the whole line for each mark that begins a block, so what is nested very deep is plain too. */
const DEEP = {
  name: "Deep",
  before: "Blockquote",
  parse: (context: BlockContext, { pos, text }: Line) => {
    const isDeep = context.depth >= DEEPEST;
    if (isDeep) {
      context.addElement(context.elt("Paragraph", context.lineStart + pos, context.lineStart + text.length));
      context.nextLine();
    }
    return isDeep;
  },
};
const DIALECT = parser.configure([Table, TaskList, { remove: AS_TEXT, parseInline: [PLAIN], parseBlock: [DEEP] }]);
const HIDDEN = /Mark$|^(CodeInfo|URL|LinkTitle|LinkLabel|TableDelimiter)$/;
/** What holds text, and what holds other elements. */
const TEXTS: Readonly<Record<string, string>> = {
  ...{ Paragraph: "p", Task: "p", TableCell: "td" },
  ...{ Emphasis: "em", StrongEmphasis: "strong", InlineCode: "code" },
};
const GROUPS: Readonly<Record<string, string>> = { Blockquote: "blockquote", BulletList: "ul", HorizontalRule: "hr" };

export function blocks(text: string, leaf: Leaf): Block[] {
  const drawing = new Drawing(text, leaf);
  return childrenOf(DIALECT.parse(text).topNode).map((node) => {
    return { node: drawing.draw(node), from: node.from, level: levelOf(node) };
  });
}

class Drawing {
  readonly #text: string;
  readonly #leaf: Leaf;
  #depth = 0;

  constructor(text: string, leaf: Leaf) {
    [this.#text, this.#leaf] = [text, leaf];
  }

  draw(node: SyntaxNode): Child {
    this.#depth += 1;
    const drawn = this.#depth > DEEPEST ? this.#slice(node) : this.#element(node);
    this.#depth -= 1;
    return drawn;
  }

  #slice({ from, to }: { readonly from: number; readonly to: number }): Child {
    return this.#leaf(this.#text.slice(from, to), from);
  }

  #element(node: SyntaxNode): Child {
    const { name, from, to, parent } = node;
    const [texts, group, level] = [TEXTS[name], GROUPS[name], levelOf(node)];
    if (texts !== undefined || level > 0) {
      return h(texts ?? `h${Math.min(6, level + 2)}`, this.#inline(node));
    }
    if (group !== undefined) {
      return h(group, this.#children(node));
    }
    switch (name) {
      case "FencedCode":
        return h("pre", { tabindex: 0 }, h("code", this.#children(node)));
      case "OrderedList":
        return h("ol", { start: Number.parseInt(this.#text.slice(from, to), 10) }, this.#children(node));
      case "ListItem":
        return this.#item(node);
      case "Table":
        return h("div.wide", { tabindex: 0 }, h("table", this.#children(node)));
      case "TableHeader":
      case "TableRow":
        return h("tr", node.getChild("TableDelimiter") ? this.#children(node) : this.#below(node));
      case "Link":
      case "Image":
        return this.#reference(node);
      case "Escape":
        return this.#slice({ from: from + 1, to });
      case "LinkMark":
        return !parent?.getChild("URL") && this.#slice(node);
      case "TaskMarker":
        return this.#box(node);
      default:
        return !HIDDEN.test(name) && this.#slice(node);
    }
  }

  #children(node: SyntaxNode): Child[] {
    return childrenOf(node).map((child) => this.draw(child));
  }

  /** The children of a node and the texts between them, without the indent that lists and quotes give its lines. */
  #inline(node: SyntaxNode): Child[] {
    const hasLines = this.#text.slice(node.from, node.to).includes("\n"); // else no cell of a wide row looks back
    const indent = hasLines ? node.from - this.#text.lastIndexOf("\n", node.from - 1) - 1 : 0;
    const shown: Child[] = [];
    let [at, skips] = [node.from, 0];
    const show = (to: number) => {
      for (const line of this.#text.slice(at, to).split(/(?<=\n)/)) {
        const skipped = Math.min(skips, line.search(/[^ \t]|$/));
        shown.push(this.#slice({ from: at + skipped, to: at + line.length }));
        [at, skips] = [at + line.length, indent];
      }
    };
    for (const child of childrenOf(node)) {
      show(child.from);
      shown.push(this.draw(child));
      [at, skips] = [child.to, /^(Quote|Header)Mark$/.test(child.name) ? 1 : 0];
    }
    show(node.to);
    return shown;
  }

  #item(node: SyntaxNode): VNode {
    const [first, ...others] = childrenOf(node).filter(({ name }) => name !== "ListMark" && name !== "QuoteMark");
    const isText = first && TEXTS[first.name] !== undefined;
    return h(
      "li",
      isText ? h("div.line", this.#inline(first)) : first && this.draw(first),
      others.map((one) => this.draw(one)),
    );
  }

  /** A line without a bar, which the grammar counts to the table above it. */
  #below({ firstChild }: SyntaxNode): Child {
    return firstChild && h("td", { colspan: 99 }, this.#inline(firstChild));
  }

  #box({ from }: SyntaxNode): VNode {
    const isOpen = this.#text[from + 1] === " ";
    return h("span", { role: "img", "aria-label": isOpen ? "open" : "done" }, isOpen ? "☐" : "☑");
  }

  /** A link as text: its label, and its target unless that is the same. */
  #reference(node: SyntaxNode): Child {
    const [url, [opening, closing]] = [node.getChild("URL"), node.getChildren("LinkMark")];
    const shown = h("span.reference", this.#inline(node));
    const label = this.#text.slice(opening?.to, closing?.from).replaceAll("`", "");
    const isSame = url === null || label === this.#text.slice(url.from, url.to);
    return isSame ? shown : [shown, " ", h("span.quiet", this.#slice(url))];
  }
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    found.push(child);
  }
  return found;
}

function levelOf({ name }: SyntaxNode): number {
  return Number(/^ATXHeading(\d)$/.exec(name)?.[1] ?? 0);
}
