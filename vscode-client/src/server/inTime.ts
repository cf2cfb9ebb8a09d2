/** Waits for something, but not for ever. */

/** Gives what comes of some work; rejects where it takes longer than this. */
export async function inTime<Result>(work: PromiseLike<Result>, patienceMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("There was no answer in time.")), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
