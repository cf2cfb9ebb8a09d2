/** What VS Code's own ring of the context shows for a chat. */

import type { TokenReport } from "../wire";

const FIRST_RING = [1, 109] as const;
const FIRST_WITHOUT_RESERVE = [1, 111] as const;

/** The percentage of the ring; undefined for other tools' chats, and for versions without one. */
export function ringPercent(version: string, { tool, hostMeter }: TokenReport): number | undefined {
  if (tool !== "vscode" || hostMeter === null || !isSince(version, FIRST_RING)) return undefined;
  return isSince(version, FIRST_WITHOUT_RESERVE) ? hostMeter.usedPercent : hostMeter.percent;
}

function isSince(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, lesser = 0] = version.split(".").map(Number);
  return ours > major || (ours === major && lesser >= minor);
}
