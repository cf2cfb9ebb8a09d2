/** Progress in the status bar with a way to stop it, and timeouts. */

import { setTimeout as pause } from "node:timers/promises";
import { type CancellationToken, ProgressLocation, window } from "vscode";
import { Fault } from "./faults";
import { t } from "./words";

const WHILE_MS = 3000;

/** Shows progress of work; rejects as cancelled if it was stopped, even if it finished by then. */
export async function patiently<Result>(
  title: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const done = work(stop.signal);
  const ended = Promise.allSettled([done]);
  void window.withProgress({ location: ProgressLocation.Window, title }, () => ended);
  const offerStop = () =>
    window.withProgress({ location: ProgressLocation.Notification, title, cancellable: true }, (_progress, token) => {
      token.onCancellationRequested(() => stop.abort());
      return ended;
    });
  const timer = setTimeout(() => void offerStop(), WHILE_MS);
  try {
    const result = await done;
    if (stop.signal.aborted) {
      throw new Fault("cancelled", t("Stopped. Nothing was changed."));
    }
    return result;
  } finally {
    clearTimeout(timer);
  }
}

/** A token of the editor as a signal. */
export function signalOf(token: CancellationToken): AbortSignal {
  const stop = new AbortController();
  token.onCancellationRequested(() => stop.abort());
  return stop.signal;
}

/** Return what comes of some work; rejects if it takes longer than this. */
export function inTime<Result>(work: PromiseLike<Result>, patienceMs: number): Promise<Result> {
  const late = pause(patienceMs, undefined, { ref: false }).then(() => Promise.reject(new Error("No answer in time.")));
  return Promise.race([work, late]);
}
