export type StartTurns = ReturnType<typeof createStartTurns>;

type Options = {
  /** How many requests may start in one iteration of the event loop. If more addresses wait, each starts one. */
  maxPerIteration: number;
  /** Calls `start` once waiting connections have been accepted. */
  pass: (start: () => void) => void;
};

/**
 * Limits how many requests start in one iteration of the event loop, and shares them between the network addresses. Without this, Node
 * would start one on each ready connection in a single iteration: hundreds of connections would make everyone else wait.
 */
export function createStartTurns({ maxPerIteration, pass }: Options) {
  /** The requests that wait, by address. */
  const waiting = new Map<string, (() => void)[]>();
  /** How many requests have started since `startNext` last ran. */
  let startCount = 0;
  let isScheduled = false;

  function startNext(): void {
    isScheduled = false;
    startCount = 0;
    const maxPerAddress = Math.max(1, Math.floor(maxPerIteration / waiting.size));
    for (const [address, starts] of waiting) {
      const next = starts.splice(0, maxPerAddress);
      if (starts.length === 0) waiting.delete(address);
      startCount += next.length;
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
      if (startCount < maxPerIteration && waiting.size === 0) {
        startCount += 1;
        start();
        return;
      }
      // Schedule only while requests wait: `setImmediate` in every iteration would make cached responses 1 to 3 % slower.
      schedule();
      const address = readAddress();
      const starts = waiting.get(address);
      if (starts) starts.push(start);
      else waiting.set(address, [start]);
    },
  };
}
