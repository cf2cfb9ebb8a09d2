/** What VS Code's own ring of the context shows for a chat. */

import type { TokenReport } from "../wire";

const FIRST_RING = [1, 109] as const;
const FIRST_WITHOUT_RESERVE = [1, 111] as const;

/** A percentage, and the tokens that it is of. */
export interface Share {
  readonly percent: number;
  readonly used: number;
  readonly of: number;
}

/** What the ring shows; undefined for other tools' chats, and for versions without one. */
export function ringOf(version: string, { tool, hostMeter }: TokenReport): Share | undefined {
  if (tool !== "vscode" || hostMeter === null || !isSince(version, FIRST_RING)) return undefined;
  const { used, reserved, total, percent, usedPercent } = hostMeter;
  if (isSince(version, FIRST_WITHOUT_RESERVE)) return { percent: usedPercent, used, of: total };
  return { percent, used: used + reserved, of: total };
}

function isSince(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, lesser = 0] = version.split(".").map(Number);
  return ours > major || (ours === major && lesser >= minor);
}
