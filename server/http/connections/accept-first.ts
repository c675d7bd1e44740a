const maxWaitMs = 20;

/**
 * Lets requests wait while connections are being accepted. Node accepts one connection per iteration of the event loop: otherwise
 * a new connection behind a hundred others of one address would wait for a response on each of them before the next is accepted.
 */
export function createAcceptGate() {
  const waiting: (() => void)[] = [];
  let closedAt: number | undefined;
  let accepted = false;

  const checkAgain = () => {
    if (accepted && performance.now() - (closedAt ?? 0) < maxWaitMs) {
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
      if (closedAt !== undefined) return;
      closedAt = performance.now();
      setImmediate(checkAgain);
    },
    /** Calls `start` at once, or when an iteration of the event loop has accepted no connection, after 20 ms at the latest. */
    pass(start: () => void): void {
      if (closedAt === undefined) start();
      else waiting.push(start);
    },
  };
}
