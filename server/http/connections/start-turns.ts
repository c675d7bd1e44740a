export type StartTurns = ReturnType<typeof createStartTurns>;

type Options = {
  /** How many requests may start in one iteration of the event loop, whatever their addresses. */
  maxAtOnce: number;
  /** Above that, how many more of each network address. */
  maxPerAddress: number;
  /** Lets connections be accepted first. */
  pass: (start: () => void) => void;
};

/**
 * Limits how many requests of a network address start in one iteration of the event loop. Node reads a request from each ready
 * connection in one iteration: otherwise, everyone else would wait while the requests on hundreds of connections of one address start.
 */
export function createStartTurns({ maxAtOnce, maxPerAddress, pass }: Options) {
  /** The requests that wait, by address. */
  const waiting = new Map<string, (() => void)[]>();
  /** How many requests have started in this iteration. */
  let startCount = 0;
  const addressCounts = new Map<string, number>();
  let isScheduled = false;

  function startNext(): void {
    isScheduled = false;
    startCount = 0;
    addressCounts.clear();
    for (const [address, starts] of waiting) {
      const next = starts.splice(0, maxPerAddress);
      if (starts.length === 0) waiting.delete(address);
      addressCounts.set(address, next.length);
      schedule();
      for (const start of next) start();
    }
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => pass(startNext));
  }

  return {
    /** Calls `start` at once, or in a later iteration of the event loop. */
    take(readAddress: () => string, start: () => void): void {
      schedule();
      if (startCount < maxAtOnce) {
        startCount += 1;
        start();
        return;
      }
      const address = readAddress();
      const count = addressCounts.get(address) ?? 0;
      if (count < maxPerAddress) {
        addressCounts.set(address, count + 1);
        start();
        return;
      }
      const starts = waiting.get(address);
      if (starts) starts.push(start);
      else waiting.set(address, [start]);
    },
  };
}
