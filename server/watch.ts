import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics/metrics.ts';
import type { Name } from './metrics/names.ts';
import type { Tracing } from './tracing/tracing.ts';

export type Watch = ReturnType<typeof createWatch>;

/** Sees every request that comes over the network: counts it, and makes a span of it where there is `tracing`. */
export function createWatch(
  metrics: Metrics,
  nameOf: (method: string, address: string) => Name,
  tracing: Tracing | undefined,
) {
  return {
    /** It has been answered from what is kept. This is done 50,000 times a second. */
    kept(incoming: IncomingMessage, outgoing: ServerResponse, name: Name, began: number): void {
      metrics.request(name, outgoing.statusCode, (performance.now() - began) / 1000);
      tracing?.kept(incoming, outgoing, name, began);
    },

    /** Runs `answer`, which answers it now or later. `began` as of `performance.now()`. */
    request(incoming: IncomingMessage, outgoing: ServerResponse, began: number, answer: () => void): void {
      const name = nameOf(incoming.method ?? '', incoming.url ?? '');
      outgoing.once('close', () => {
        const status = outgoing.headersSent ? outgoing.statusCode : 0;
        metrics.request(name, status, (performance.now() - began) / 1000);
      });
      if (tracing) tracing.request(incoming, outgoing, { name, began }, answer);
      else answer();
    },
  };
}
