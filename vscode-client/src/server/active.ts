/** The Python environment that is active in the window, as the Python extensions tell it. */

import * as vscode from "vscode";
import { inTime } from "./inTime";

/** As much of `ms-python.vscode-python-envs` as is used here. */
interface Environments {
  getEnvironment(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  readonly onDidChangeEnvironment?: vscode.Event<unknown>;
}

/** As much of `ms-python.python` as is used here. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(scope?: vscode.Uri): unknown;
    resolveEnvironment(path: unknown): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

/** An extension that knows the active Python. */
interface Source {
  isAwake(): boolean;
  /** Gives the active Python's program; rejects where the extension is at fault. */
  active(scope: vscode.Uri | undefined, mayWake: boolean): Promise<string | undefined>;
  /** Listens to an extension that is awake. */
  onMoved(moved: () => void): vscode.Disposable | undefined;
}

/** How long another extension may take, while a person waits. */
const PATIENCE_MS = 3000;
/** How often to check whether one was activated, for which there is no event: it costs a look at two flags. */
const EVERY_MS = 3000;

const SOURCES: readonly Source[] = [
  source<Environments>("ms-python.vscode-python-envs", {
    active: async (known, scope) => (await known.getEnvironment(scope))?.execInfo?.run?.executable,
    event: (known) => known.onDidChangeEnvironment,
  }),
  source<PythonExtension>("ms-python.python", {
    active: async ({ environments }, scope) => {
      const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(scope));
      return environment?.executable?.uri?.fsPath;
    },
    event: ({ environments }) => environments.onDidChangeActiveEnvironmentPath,
  }),
];

/** Gives the active environment's Python; undefined where no extension knows one. A sleeping extension is left asleep unless it may be woken. */
export async function activePython(mayWake: boolean): Promise<string | undefined> {
  for (const source of SOURCES) {
    const found = await quietly(() => source.active(scopeNow(), mayWake));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Calls back whenever another Python may be active: an extension reports a change, or was activated and has an answer by now. Activates none. */
export function onActivePython(moved: () => void): vscode.Disposable {
  const heard = new Map<Source, vscode.Disposable | undefined>();
  const look = () => {
    for (const source of SOURCES.filter((one) => !heard.has(one) && one.isAwake())) {
      heard.set(source, source.onMoved(moved));
      void source.active(scopeNow(), false).then(moved, () => undefined);
    }
  };
  look(); // also for one that was too slow for an earlier caller
  const timer = setInterval(look, EVERY_MS).unref();
  const changed = vscode.extensions.onDidChange(look);
  return new vscode.Disposable(() => {
    clearInterval(timer);
    changed.dispose();
    heard.forEach((listening) => void listening?.dispose());
  });
}

/** What is used of the exports of an extension. */
interface Uses<Exports> {
  active(known: Exports, scope: vscode.Uri | undefined): Promise<string | undefined>;
  event(known: Exports): vscode.Event<unknown> | undefined;
}

function source<Exports>(id: string, { active, event }: Uses<Exports>): Source {
  const extension = () => vscode.extensions.getExtension<Exports>(id);
  return {
    isAwake: () => extension()?.isActive === true,
    active: async (scope, mayWake) => {
      const found = extension();
      const known = found?.isActive ? found.exports : mayWake ? await found?.activate() : undefined;
      return known && active(known, scope);
    },
    onMoved: (moved) => {
      try {
        const known = extension()?.exports;
        return known && event(known)?.(() => moved());
      } catch {
        return undefined; // another extension's fault
      }
    },
  };
}

function scopeNow(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

/** Another extension's fault is no reason not to go on, nor is it that one is slow. */
async function quietly(ask: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await inTime(ask(), PATIENCE_MS);
  } catch {
    return undefined;
  }
}
