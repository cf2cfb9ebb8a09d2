/** The classes of `vscode` that the language client derives its own from, as soon as it is loaded. */

export class CallHierarchyItem {}
export class CodeAction {}
export class CodeLens {}
export class CompletionItem {}
export class Diagnostic {}
export class DocumentLink {
  constructor(
    readonly range?: unknown,
    readonly target?: unknown,
  ) {}
}
export class InlayHint {}
export class SymbolInformation {}
export class TypeHierarchyItem {}

const kind = { append: () => kind };
export const CodeActionKind = { Empty: kind };
