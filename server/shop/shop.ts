import type { Logger } from 'pino';
import type { Service } from '../../contract/admin/health.ts';
import type { Shipping } from '../../contract/delivery/shipping-rates.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Tx } from '../database/schema.ts';
import type { FairQueue, RateLimits } from '../http/rate-limit.ts';
import type { Provider } from './payments/provider.ts';

/** Events whose most recent time is stored, for the Health page. */
export type RecordedEvent =
  | 'webhook'
  | 'webhook of a payment'
  | 'paid'
  | 'periodic work'
  | 'backup'
  | 'mail sent';

/** Records, for the Health page, that a service has just worked, or has failed since a time in milliseconds (now by default). */
export type RecordService = (service: Service, problem?: string, since?: number) => void;

/** Events that `/metrics` counts. */
export const businessEvents = [
  'order placed',
  'order deleted',
  'order expired',
  'order shipped',
  'order refunded',
  'order refund failed',
  'payment paid',
  'payment cancelled',
  'payment refund due',
  'payment refunded',
  'payment refund failed',
  'payment disputed',
] as const;
export type BusinessEvent = (typeof businessEvents)[number];

export type Shop = {
  config: Config;
  database: Database;
  /** For requests that a person waits for: a failed call is retried. */
  provider: Provider;
  /** For the periodic work and webhooks, which run again by themselves: no call is retried. */
  backgroundProvider: Provider;
  rateLimits: RateLimits;
  /** Runs the calls that hash a password. */
  passwordQueue: FairQueue;
  log: Logger;
  /** A random id stored in the database. It marks this shop's payments on the provider's account. */
  id: string;
  /** ISO 4217 code of new orders' currency. */
  currency: string;
  /** Signs sessions. */
  secret: string;
  /** Throws 422 if `url` is not allowed as the image of a product or review. */
  checkImage: (tx: Tx, url: string) => Promise<void>;
  /** Whether the shop sends mail. If not, nothing is added to the outbox. */
  sendsMail: boolean;
  /** Drops cached pages, in all processes, after products, reviews or the shop details have changed. */
  invalidateCache: () => void;
  /** The same after a change of stock alone, which no page's header and footer show. */
  invalidateStock: () => void;
  /** The delivery zones and rates for pages, cached until the next change. A purchase reads them in its own transaction. */
  readShownShipping: () => Promise<Shipping>;
  recordTime: (event: RecordedEvent) => void;
  recordService: RecordService;
  countEvent: (event: BusinessEvent, times?: number) => void;
};
