/** A stand-in for `vscode` in unit tests: thin, and open to each test, which may replace a member of `window` and its kin. */

type Listener<Value> = (value: Value) => unknown;

export class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) {
        one.dispose();
      }
    });
  }
}

export class EventEmitter<Value> {
  readonly #listeners = new Set<Listener<Value>>();
  readonly event = (listener: Listener<Value>): Disposable => {
    const mine: Listener<Value> = (value) => listener(value);
    this.#listeners.add(mine);
    return new Disposable(() => this.#listeners.delete(mine));
  };

  fire(value: Value): void {
    for (const listener of [...this.#listeners]) {
      listener(value);
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

export class CancellationTokenSource {
  readonly #cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };

  cancel(): void {
    if (!this.token.isCancellationRequested) {
      this.token.isCancellationRequested = true;
      this.#cancelled.fire();
    }
  }

  dispose(): void {
    this.#cancelled.dispose();
  }
}

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
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

/** A quick pick that a test answers by hand. */
export class QuickPick<Item> {
  readonly #events = {
    accept: new EventEmitter<void>(),
    hide: new EventEmitter<void>(),
    value: new EventEmitter<string>(),
    active: new EventEmitter<readonly Item[]>(),
    button: new EventEmitter<unknown>(),
    itemButton: new EventEmitter<{ item: Item; button: unknown }>(),
  };
  readonly onDidAccept = this.#events.accept.event;
  readonly onDidHide = this.#events.hide.event;
  readonly onDidChangeValue = this.#events.value.event;
  readonly onDidChangeActive = this.#events.active.event;
  readonly onDidTriggerButton = this.#events.button.event;
  readonly onDidTriggerItemButton = this.#events.itemButton.event;
  title: string | undefined;
  placeholder: string | undefined;
  value = "";
  busy = false;
  isShown = false;
  items: readonly Item[] = [];
  activeItems: readonly Item[] = [];
  selectedItems: readonly Item[] = [];

  show(): void {
    this.isShown = true;
  }

  hide(): void {
    this.isShown = false;
    this.#events.hide.fire();
  }

  dispose(): void {
    this.isShown = false;
  }

  /** Does what a person does who chooses a row. */
  choose(item: Item): void {
    this.activeItems = [item];
    this.selectedItems = [item];
    this.#events.active.fire([item]);
    this.#events.accept.fire();
  }

  /** Does what a person does who presses Enter where no row is left. */
  accept(): void {
    this.selectedItems = [];
    this.#events.accept.fire();
  }

  /** Does what a person does who types. */
  type(value: string): void {
    this.value = value;
    this.#events.value.fire(value);
  }

  /** Does what a person does who presses a button of a row. */
  press(item: Item, button: unknown): void {
    this.#events.itemButton.fire({ item, button });
  }
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
  visibleTextEditors: [] as unknown[],
  createQuickPick: (): unknown => new QuickPick<unknown>(),
  showQuickPick: async (..._given: unknown[]): Promise<unknown> => undefined,
  showInputBox: async (..._given: unknown[]): Promise<string | undefined> => undefined,
  withProgress: async (_options: unknown, work: (...given: unknown[]) => Promise<unknown>): Promise<unknown> =>
    work({ report: () => undefined }, new CancellationTokenSource().token),
  showInformationMessage: async (..._given: unknown[]): Promise<unknown> => undefined,
  showSaveDialog: async (..._given: unknown[]): Promise<Uri | undefined> => undefined,
  createTerminal: (..._given: unknown[]): unknown => ({ show: () => undefined, sendText: () => undefined }),
};

export const commands = {
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

  get fsPath(): string {
    return this.path;
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
  }),
  onDidChangeConfiguration: changes.configuration.event,
  onDidGrantWorkspaceTrust: changes.trust.event,
  onDidOpenTextDocument: new EventEmitter<unknown>().event,
  onDidChangeTextDocument: new EventEmitter<unknown>().event,
  onDidSaveTextDocument: new EventEmitter<unknown>().event,
  onDidCloseTextDocument: new EventEmitter<unknown>().event,
  textDocuments: [] as unknown[],
  registerFileSystemProvider: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
  registerTextDocumentContentProvider: (..._given: unknown[]): Disposable => new Disposable(() => undefined),
  openTextDocument: async (..._given: unknown[]): Promise<unknown> => undefined,
  applyEdit: async (..._given: unknown[]): Promise<boolean> => true,
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
  fs: { copy: async (..._given: unknown[]): Promise<void> => undefined },
};

export const extensions = {
  all: [] as { id: string; packageJSON: unknown }[],
  getExtension: (_id: string): unknown => undefined,
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

export * from "./language";

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
