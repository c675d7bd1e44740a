import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Tx } from '../database/schema.ts';
import type { Limits } from '../http/rate-limit.ts';
import type { Provider } from './payments/provider.ts';

/** Events whose last time is stored. */
export type Happening = 'webhook' | 'webhook of a payment' | 'paid' | 'periodic work' | 'backup';

/** Events that `/metrics` counts. */
export type BusinessEvent =
  | 'order placed'
  | 'order deleted'
  | 'order expired'
  | 'order shipped'
  | 'payment paid'
  | 'payment cancelled'
  | 'payment refund due'
  | 'payment refunded'
  | 'payment refund failed';

/** What the shop's rules need. */
export type Shop = {
  config: Config;
  database: Database;
  provider: Provider;
  limits: Limits;
  log: Logger;
  /** This shop's own random id, kept in its database: marks its payments on the provider's account. */
  id: string;
  /** ISO 4217 code that new orders are placed in. */
  currency: string;
  /** What sessions are signed with. */
  secret: string;
  /** Throws 422 where a product or review may not show this picture. */
  judgeImage: (tx: Tx, url: string) => Promise<void>;
  /** Products or reviews have changed: pages that were kept are stale. */
  changed: () => void;
  /** Notes for the Health page that this has just happened. */
  happened: (what: Happening) => void;
  /** Counts a business event for `/metrics`. */
  count: (event: BusinessEvent) => void;
};
