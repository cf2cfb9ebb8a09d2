/** A stand-in for `vscode` in unit tests: thin, and open to each test, which may replace a member of `window` and its kin. */

import { stat, writeFile } from "node:fs/promises";
import { CancellationTokenSource, Disposable, EventEmitter } from "./events";

export * from "./events";

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}

export class TreeItem {
  description?: string;
  accessibilityInformation?: { label: string };
  command?: { command: string; arguments: unknown[] };
  constructor(readonly label: string) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };

/** Fills placeholders as the editor does, and translates nothing. */
export const l10n = {
  t: (text: string, ...parts: (string | number | boolean)[]): string =>
    text.replace(/\{(\d+)\}/g, (whole, place) => String(parts[Number(place)] ?? whole)),
};

export const UIKind = { Desktop: 1, Web: 2 };
export const env = {
  language: "en",
  remoteName: undefined as string | undefined,
  uiKind: UIKind.Desktop,
  clipboard: { writeText: async (_text: string): Promise<void> => undefined },
};

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export class TabInputCustom {
  constructor(
    readonly uri: Uri,
    readonly viewType: string,
  ) {}
}

export const window = {
  showOpenDialog: async (..._given: unknown[]): Promise<unknown> => undefined,
  onDidChangeWindowState: new EventEmitter<{ focused: boolean; active: boolean }>().event,
  state: { focused: true, active: true },
  createStatusBarItem: (..._given: unknown[]): unknown => ({
    show: () => undefined,
    hide: () => undefined,
    dispose: () => undefined,
  }),
  createTreeView: (..._given: unknown[]): unknown => ({
    visible: false,
    onDidChangeVisibility: new EventEmitter<{ visible: boolean }>().event,
    dispose: () => undefined,
  }),
  setStatusBarMessage: (..._given: unknown[]): unknown => undefined,
  tabGroups: { all: [] as { tabs: { input: unknown }[] }[], activeTabGroup: { activeTab: undefined as unknown } },
  registerCustomEditorProvider: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
  showTextDocument: async (..._given: unknown[]): Promise<unknown> => undefined,
  showQuickPick: async (..._given: unknown[]): Promise<unknown> => undefined,
  showInputBox: async (..._given: unknown[]): Promise<string | undefined> => undefined,
  withProgress: async (_options: unknown, work: (...given: unknown[]) => Promise<unknown>): Promise<unknown> =>
    work({ report: () => undefined }, new CancellationTokenSource().token),
  showInformationMessage: async (..._given: unknown[]): Promise<unknown> => undefined,
  showSaveDialog: async (..._given: unknown[]): Promise<Uri | undefined> => undefined,
  createTerminal: (..._given: unknown[]): unknown => ({ show: () => undefined, sendText: () => undefined }),
};

export const commands = {
  registerCommand: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
  executeCommand: async (..._given: unknown[]): Promise<unknown> => undefined,
  getCommands: async (..._given: unknown[]): Promise<string[]> => [],
};

/** An address, as far as rooms look into one. */
export class Uri {
  private constructor(
    readonly scheme: string,
    readonly authority: string,
    readonly path: string,
    readonly query: string,
    readonly fragment: string,
  ) {}

  static file(path: string): Uri {
    return new Uri("file", "", path.replaceAll("\\", "/"), "", "");
  }

  static parse(text: string): Uri {
    const found = /^([\w+.-]+):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
    const [, scheme = "file", authority = "", path = text, query = "", fragment = ""] = found;
    const told = [authority, path, query, fragment].map(decodeURIComponent) as [string, string, string, string];
    return new Uri(scheme, ...told);
  }

  static from(parts: { scheme: string; authority?: string; path?: string; query?: string; fragment?: string }): Uri {
    const { scheme, authority = "", path = "", query = "", fragment = "" } = parts;
    return new Uri(scheme, authority, path, query, fragment);
  }

  static joinPath(base: Uri, ...names: string[]): Uri {
    const path = [base.path.replace(/\/+$/, ""), ...names].join("/");
    return base.with({ path });
  }

  /** The editor writes the letter of a drive small. */
  get fsPath(): string {
    return this.path.replace(/^\/([A-Z]:)/i, (_, drive: string) => drive.toLowerCase());
  }

  with(change: { scheme?: string; authority?: string; path?: string; query?: string; fragment?: string }): Uri {
    return Uri.from({ ...this.parts(), ...change });
  }

  toString(): string {
    const { scheme, authority, path, query, fragment } = this.parts();
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    const end = `${query && `?${encodeURIComponent(query)}`}${fragment && `#${encodeURIComponent(fragment)}`}`;
    return `${scheme}:${authority || scheme === "file" ? `//${authority}` : ""}${encoded}${end}`;
  }

  private parts() {
    const { scheme, authority, path, query, fragment } = this;
    return { scheme, authority, path, query, fragment };
  }
}

const changes = {
  configuration: new EventEmitter<{ affectsConfiguration(name: string): boolean }>(),
  trust: new EventEmitter<void>(),
};

export const workspace = {
  workspaceFolders: undefined as { uri: Uri; name: string; index: number }[] | undefined,
  isTrusted: true,
  /** The settings by their whole names, as a test sets them. */
  settings: new Map<string, unknown>(),
  getConfiguration: (section?: string) => ({
    get: (name: string, otherwise?: unknown): unknown => workspace.settings.get(`${section}.${name}`) ?? otherwise,
    inspect: (_name: string): { workspaceValue?: unknown } | undefined => ({}),
    update: async (name: string, value: unknown, _target?: number) => workspace.change(`${section}.${name}`, value),
  }),
  onDidChangeConfiguration: changes.configuration.event,
  onDidGrantWorkspaceTrust: changes.trust.event,
  onDidChangeTextDocument: new EventEmitter<unknown>().event,
  onDidSaveTextDocument: new EventEmitter<unknown>().event,
  textDocuments: [] as unknown[],
  registerFileSystemProvider: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
  registerTextDocumentContentProvider: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
  /** Does what a person does who changes a setting. */
  change(name: string, value: unknown): void {
    workspace.settings.set(name, value);
    changes.configuration.fire({ affectsConfiguration: (asked) => name === asked || name.startsWith(`${asked}.`) });
  },
  /** Does what a person does who trusts the folder. */
  trust(): void {
    workspace.isTrusted = true;
    changes.trust.fire();
  },
  fs: {
    copy: async (..._given: unknown[]): Promise<void> => undefined,
    stat: ({ fsPath }: Uri) => stat(fsPath),
    writeFile: ({ fsPath }: Uri, data: Uint8Array) => writeFile(fsPath, data),
  },
};

export const extensions = {
  all: [] as { id: string; packageJSON: unknown }[],
  getExtension: (_id: string): unknown => undefined,
  onDidChange: new EventEmitter<void>().event,
};

export const version = "1.139.1";

export const QuickPickItemKind = { Separator: -1, Default: 0 };

export class MarkdownString {
  constructor(
    public value = "",
    public supportThemeIcons = false,
  ) {}
}

export class LanguageModelTextPart {
  constructor(readonly value: string) {}
}

export class LanguageModelToolResult {
  constructor(readonly content: unknown[]) {}
}

export const lm = {
  models: [] as unknown[],
  selectChatModels: async (): Promise<unknown[]> => lm.models,
  onDidChangeChatModels: new EventEmitter<void>().event,
  registerTool: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
};

export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
export const LogLevel = { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 };
export const InputBoxValidationSeverity = { Info: 1, Warning: 2, Error: 3 };

export class CancellationError extends Error {
  constructor() {
    super("Canceled");
    this.name = "Canceled";
  }
}

export const StatusBarAlignment = { Left: 1, Right: 2 };

export const LanguageModelChatMessage = { User: (content: string) => ({ role: 1, content }) };

export * from "./documents";
