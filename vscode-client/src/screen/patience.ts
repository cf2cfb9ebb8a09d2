/** Shows that something takes its time: in the status bar after a moment, with a way to stop it after a while. */

import { type CancellationToken, CancellationTokenSource, l10n, ProgressLocation, window } from "vscode";
import { Fault } from "../faults";

const MOMENT = 300; // milliseconds
const WHILE = 3000;

/** Does work that a person waits for; stopped, it ends as such, also where the work was done by then. */
export async function patiently<Result>(
  title: string,
  work: (token: CancellationToken) => Promise<Result>,
): Promise<Result> {
  const source = new CancellationTokenSource();
  const done = work(source.token);
  const ended = done.then(
    () => undefined,
    () => undefined,
  );
  const timers = [
    setTimeout(() => void window.withProgress({ location: ProgressLocation.Window, title }, () => ended), MOMENT),
    setTimeout(() => void offerStop(title, source, ended), WHILE),
  ];
  try {
    const result = await done;
    expectNotStopped(source.token);
    return result;
  } finally {
    timers.forEach(clearTimeout);
    source.dispose();
  }
}

/** Lets nothing more be done once a person has stopped it. */
function expectNotStopped({ isCancellationRequested }: CancellationToken): void {
  if (isCancellationRequested) {
    throw new Fault("cancelled", l10n.t("Stopped; nothing was changed."));
  }
}

async function offerStop(title: string, source: CancellationTokenSource, ended: Promise<void>): Promise<void> {
  const how = { location: ProgressLocation.Notification, title, cancellable: true };
  await window.withProgress(how, (_progress, token) => {
    token.onCancellationRequested(() => source.cancel());
    return ended;
  });
}
