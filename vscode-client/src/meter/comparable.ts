/** Paths written so that two ways to write one are the same: the editor writes the letter of a drive small, the system big. */

import { posix, win32 } from "node:path";

/** The path as the platform's file system distinguishes names; only for comparison. */
export function comparable(path: string, platform: string = process.platform): string {
  const whole = (platform === "win32" ? win32 : posix).normalize(path);
  return platform === "win32" || platform === "darwin" ? whole.toLowerCase() : whole;
}
