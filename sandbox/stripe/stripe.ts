import type { Kysely } from 'kysely';
import { createApi } from './api.ts';
import { openBrowserFiles } from './browser-files.ts';
import { finishPending } from './change.ts';
import { type RetryPace, startDeliveries } from './deliveries.ts';
import { createFaults, type Fault } from './faults.ts';
import { deleteExpiredKeys } from './idempotency.ts';
import { prepareDatabase, type StripeTables } from './tables.ts';

export type { Fault } from './faults.ts';

const mountPath = '/sandbox/stripe';

export interface StripeStandIn {
  /** The keys are random and created once per database. */
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Handles /sandbox/stripe/v1/… (the API) and /sandbox/stripe/v3/… (the browser script and its frames). */
  fetch: (request: Request) => Promise<Response>;
  /** Makes the next calls fail. For tests; not reachable over HTTP. */
  fail: (fault: Fault) => void;
  /** Finishes a pending payment or refund now instead of a minute after it started. For tests. */
  finish: (id: string) => Promise<void>;
  /** Sets how soon a failed delivery is retried. For tests. */
  setRetryPace: (pace: RetryPace) => void;
  /** Stops the deliveries; undelivered events stay in the database. */
  close: () => Promise<void>;
}

/**
 * A stand-in for Stripe that works with Stripe's official packages: card payments, refunds, disputes, signed webhooks and the
 * card field. All of its state is in `db`, so any number of processes can share it.
 *
 * @param options.db a database (or schema) for the stand-in alone; its tables are created here
 * @param options.webhookUrl where events are sent
 * @param options.deliver sends them: `fetch`, or the shop's own handler
 */
export async function openStripe(options: {
  db: Kysely<unknown>;
  webhookUrl: () => string;
  deliver: (request: Request) => Promise<Response>;
}): Promise<StripeStandIn> {
  const db = options.db.$extendTables<StripeTables>();
  const keys = await prepareDatabase(db);
  await deleteExpiredKeys(db);
  const faults = createFaults();
  const deliveries = startDeliveries({
    ...options,
    db,
    secret: keys.webhookSecret,
    finish: (id) => finishPending(db, keys, id),
  });
  const handleApi = createApi({ db, keys, faults, afterChange: deliveries.poll });
  const serveFile = openBrowserFiles();
  // Deliver what an earlier process could not.
  deliveries.poll();

  return {
    secretKey: keys.secretKey,
    publishableKey: keys.publishableKey,
    webhookSecret: keys.webhookSecret,
    fail: faults.fail,
    async finish(id) {
      await finishPending(db, keys, id);
      deliveries.poll();
    },
    setRetryPace: deliveries.setRetryPace,
    close: deliveries.close,
    async fetch(request) {
      const { origin, pathname } = new URL(request.url);
      const start = pathname.indexOf(`${mountPath}/`);
      const path = pathname.slice(start + mountPath.length);
      if (start >= 0 && path.startsWith('/v1/')) {
        return handleApi(request, `${origin}${pathname.slice(0, start)}${mountPath}`, path);
      }
      if (start >= 0 && path.startsWith('/v3/')) return serveFile(request, path.slice('/v3/'.length));
      return new Response('Not found', { status: 404 });
    },
  };
}
