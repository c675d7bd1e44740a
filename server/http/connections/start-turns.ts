export type StartTurns = ReturnType<typeof createStartTurns>;

type Options = {
  /** How many requests may start in one iteration of the event loop, whatever their addresses. */
  maxAtOnce: number;
  /** Beyond that, how many more may start for each network address. */
  maxPerAddress: number;
  /** Calls `start` once waiting connections have been accepted. */
  pass: (start: () => void) => void;
};

/**
 * Limits how many requests of a network address start in one iteration of the event loop. Without this, Node would start one on each
 * ready connection in a single iteration: one address with hundreds of connections would make everyone else wait.
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
    /** Calls `start` at once, or in a later iteration of the event loop. The requests of an address start in order. */
    take(readAddress: () => string, start: () => void): void {
      schedule();
      if (startCount < maxAtOnce && waiting.size === 0) {
        startCount += 1;
        start();
        return;
      }
      const address = readAddress();
      const count = addressCounts.get(address) ?? 0;
      if (count < maxPerAddress && !waiting.has(address)) {
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
