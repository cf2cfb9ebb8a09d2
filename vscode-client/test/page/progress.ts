/** The progress that the editor shows while somebody waits, and its button to stop. */

import type { TestContext } from "node:test";
import * as vscode from "../fakes/vscode";

export interface Shown {
  readonly location: number;
  readonly isCancellable: boolean;
  readonly cancel: () => void;
}

/** Gives what is shown, as it comes. */
export function progress(): Shown[] {
  const shown: Shown[] = [];
  Object.assign(vscode.window, {
    withProgress: (
      how: { location: number; cancellable?: boolean },
      work: (...given: unknown[]) => Promise<unknown>,
    ) => {
      const source = new vscode.CancellationTokenSource();
      shown.push({ location: how.location, isCancellable: how.cancellable === true, cancel: () => source.cancel() });
      return work({ report: () => undefined }, source.token);
    },
  });
  return shown;
}

/** Begins something, lets it take its time, and stops it once that is offered. */
export async function stopped(context: TestContext, begin: () => Promise<unknown>): Promise<unknown> {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const shown = progress();
  const work = begin();
  work.catch(() => undefined); // it is given back
  await new Promise(setImmediate);
  context.mock.timers.tick(10_000);
  shown.find(({ isCancellable }) => isCancellable)?.cancel();
  context.mock.timers.reset();
  return work;
}
