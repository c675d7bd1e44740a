const minWaitMs = 20;
const minConnections = 100;

/**
 * Lets requests wait while connections are being accepted. Node accepts one connection per iteration of the event loop: otherwise
 * a new connection behind a hundred others of one address would wait for a response on each of them before the next is accepted.
 */
export function createAcceptGate() {
  const waiting: (() => void)[] = [];
  let closedAt: number | undefined;
  let connections = 0;
  let accepted = false;

  const checkAgain = () => {
    // Not only the time counts: to read the requests of a thousand connections, one iteration can take more than that.
    const isOver = connections >= minConnections && performance.now() - (closedAt ?? 0) >= minWaitMs;
    if (accepted && !isOver) {
      accepted = false;
      setImmediate(checkAgain);
      return;
    }
    closedAt = undefined;
    for (const start of waiting.splice(0)) start();
  };

  return {
    /** Call for each accepted connection. */
    accept(): void {
      accepted = true;
      connections += 1;
      if (closedAt !== undefined) return;
      closedAt = performance.now();
      connections = 1;
      setImmediate(checkAgain);
    },
    /**
     * Calls `start` at once, or when an iteration of the event loop has accepted no connection; at the latest when 20 ms have passed
     * and a hundred connections were accepted.
     */
    pass(start: () => void): void {
      if (closedAt === undefined) start();
      else waiting.push(start);
    },
  };
}
