/** Which of several chats is the one in use: the one that moved last, once the one before it is quiet. */

export interface Mover {
  /** When it was last written, in milliseconds. */
  readonly movedAt: number;
}

export const QUIET = 5000;

/** Chooses among chats; the chosen one stays while it is still being written. */
export function leading<One extends Mover>(before: One | undefined, all: readonly One[], now: number): One | undefined {
  const newest = all.reduce<One | undefined>(
    (best, one) => (best && best.movedAt >= one.movedAt ? best : one),
    undefined,
  );
  const stays = before !== undefined && all.includes(before) && now - before.movedAt < QUIET;
  return stays ? before : newest;
}
