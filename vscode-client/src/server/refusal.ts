/** Turns what a request to the server failed with into a fault. */

import { Fault, type Translate } from "../faults";

const CANCELLED = -32800;
/** The connection ended before the answer, or was not there any more: codes of vscode-jsonrpc, of its two kinds of errors. */
const GONE: readonly unknown[] = [-32099, -32098, -32097, -32096, 1, 2];

export function faultOf(problem: unknown, t: Translate): Fault {
  if (problem instanceof Fault) {
    return problem;
  }
  const { code, data, name, message } = shapeOf(problem);
  if (code === CANCELLED || name === "Canceled") {
    return new Fault("cancelled", t("Stopped; nothing was changed."));
  }
  const kind = kindIn(data);
  if (kind !== undefined) {
    return new Fault(kind, message, data as Record<string, unknown>);
  }
  if (GONE.includes(code) || typeof code === "string") {
    return new Fault("serverFailed", t("The server ended while it was asked; it starts again with the next question."));
  }
  return new Fault("internal", t("The server could not be asked; the log tells more."));
}

function shapeOf(problem: unknown): { code: unknown; data: unknown; name: string; message: string } {
  const given = (typeof problem === "object" && problem !== null ? problem : {}) as Record<string, unknown>;
  return { code: given.code, data: given.data, name: String(given.name ?? ""), message: String(given.message ?? "") };
}

function kindIn(data: unknown): string | undefined {
  const kind = typeof data === "object" && data !== null ? (data as Record<string, unknown>).kind : undefined;
  return typeof kind === "string" ? kind : undefined;
}
