/** Counts how often the server died of late, so that it is not started for ever. */

const MOST = 3;
const WITHIN_MS = 3 * 60 * 1000;

export interface Crashes {
  /** Notes a crash; says whether it was one too many. */
  note(now?: number): boolean;
  forget(): void;
}

export function countCrashes(): Crashes {
  let times: number[] = [];
  return {
    note: (now = Date.now()) => {
      times = [...times.filter((time) => now - time < WITHIN_MS), now];
      return times.length >= MOST;
    },
    forget: () => {
      times = [];
    },
  };
}
