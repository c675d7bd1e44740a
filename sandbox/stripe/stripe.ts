import type { Kysely } from 'kysely';
import { createApi } from './api.ts';
import { openBrowserFiles } from './browser-files.ts';
import { finishPending } from './change.ts';
import { type RetryPace, startDeliveries } from './deliveries.ts';
import { type Fault, openFaults } from './faults.ts';
import { deleteExpiredKeys } from './idempotency.ts';
import { prepareDatabase, type StripeTables } from './tables.ts';

export type { Fault } from './faults.ts';

const mount = '/sandbox/stripe';

export interface StripeStandIn {
  /** Random, made once for a database and kept in it. */
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Answers /sandbox/stripe/v1/… (the API) and /sandbox/stripe/v3/ (the browser's script and its frames). */
  fetch: (request: Request) => Promise<Response>;
  /** Makes the next calls fail; for tests, nothing of it can be reached over HTTP. */
  fail: (fault: Fault) => void;
  /** Finishes a processing payment or a refund now instead of a minute after it began. For tests. */
  finish: (id: string) => Promise<void>;
  /** How soon a refused event is delivered again. For tests. */
  setRetryPace: (pace: RetryPace) => void;
  /** Stops the deliveries; what is not delivered stays in the database. */
  close: () => Promise<void>;
}

/**
 * A stand-in for Stripe that the official packages take for the real one: payment intents by card, refunds,
 * signed webhooks, the card field. All of its state is in `db`, so any number of processes can share it.
 *
 * @param options.db a database (or schema) of its own; the tables are made here
 * @param options.webhookUrl where events go
 * @param options.deliver how they get there: `fetch`, or the shop's own handler
 */
export async function openStripe(options: {
  db: Kysely<unknown>;
  webhookUrl: () => string;
  deliver: (request: Request) => Promise<Response>;
}): Promise<StripeStandIn> {
  const db = options.db.$extendTables<StripeTables>();
  const keys = await prepareDatabase(db);
  await deleteExpiredKeys(db);
  const faults = openFaults();
  const deliveries = startDeliveries({
    ...options,
    db,
    secret: keys.webhookSecret,
    finish: (id) => finishPending(db, keys, id),
  });
  const answerApi = createApi({ db, keys, faults, afterChange: deliveries.poll });
  const answerFile = openBrowserFiles();
  // What an earlier process could not deliver.
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
      const at = pathname.indexOf(`${mount}/`);
      const path = pathname.slice(at + mount.length);
      if (at >= 0 && path.startsWith('/v1/')) {
        return answerApi(request, `${origin}${pathname.slice(0, at)}${mount}`, path);
      }
      if (at >= 0 && path.startsWith('/v3/')) return answerFile(request, path.slice('/v3/'.length));
      return new Response('Not found', { status: 404 });
    },
  };
}
