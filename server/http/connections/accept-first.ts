const minWaitMs = 20;
const minConnections = 100;

/**
 * Delays requests while connections are being accepted. Node accepts only one connection per iteration of the event loop. If it
 * also responded to a request in each iteration, a new connection behind a hundred others would wait for a hundred responses.
 */
export function createAcceptGate() {
  const waiting: (() => void)[] = [];
  let closedAt: number | undefined;
  let connections = 0;
  let accepted = false;

  const openWhenOver = () => {
    // The time alone is not enough: one iteration can take longer than 20 ms to read the requests of a thousand connections.
    const isOver = connections >= minConnections && performance.now() - (closedAt ?? 0) >= minWaitMs;
    if (accepted && !isOver) {
      accepted = false;
      setImmediate(openWhenOver);
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
      setImmediate(openWhenOver);
    },
    /**
     * Calls `start` at once if no connections are being accepted. Otherwise calls it when an iteration of the event loop has
     * accepted none, or when 20 ms have passed and a hundred connections were accepted.
     */
    pass(start: () => void): void {
      if (closedAt === undefined) start();
      else waiting.push(start);
    },
  };
}
