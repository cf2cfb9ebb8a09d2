/** The Python environment that is active in the window, as the Python extensions tell it. */

import * as vscode from "vscode";
import { inTime } from "./inTime";

/** As much of `ms-python.vscode-python-envs` as is used here. */
interface Environments {
  getEnvironment(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
}

/** As much of `ms-python.python` as is used here. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(scope?: vscode.Uri): unknown;
    resolveEnvironment(path: unknown): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

/** How long another extension may take, while a person waits. */
const PATIENCE_MS = 3000;

/** Gives the active environment's Python; undefined where no extension knows one. A sleeping extension is left asleep unless it may be woken. */
export async function activePython(mayWake: boolean): Promise<string | undefined> {
  const scope = vscode.workspace.workspaceFolders?.[0]?.uri;
  return (await quietly(() => ofEnvironments(scope, mayWake))) ?? (await quietly(() => ofPython(scope, mayWake)));
}

async function ofEnvironments(scope: vscode.Uri | undefined, mayWake: boolean): Promise<string | undefined> {
  const known = await exportsOf<Environments>("ms-python.vscode-python-envs", mayWake);
  return (await known?.getEnvironment(scope))?.execInfo?.run?.executable;
}

async function ofPython(scope: vscode.Uri | undefined, mayWake: boolean): Promise<string | undefined> {
  const known = (await exportsOf<PythonExtension>("ms-python.python", mayWake))?.environments;
  const environment = await known?.resolveEnvironment(known.getActiveEnvironmentPath(scope));
  return environment?.executable?.uri?.fsPath;
}

async function exportsOf<Exports>(id: string, mayWake: boolean): Promise<Exports | undefined> {
  const extension = vscode.extensions.getExtension<Exports>(id);
  if (extension === undefined || extension.isActive) {
    return extension?.exports;
  }
  return mayWake ? extension.activate() : undefined;
}

/** Another extension's fault is no reason not to go on, nor is it that one is slow. */
async function quietly(ask: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await inTime(ask(), PATIENCE_MS);
  } catch {
    return undefined;
  }
}
