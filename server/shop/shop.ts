import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database, Tx } from '../database/database.ts';
import type { Happening } from '../operations/health/queries.ts';
import type { Counted } from '../operations/metrics/metrics.ts';
import type { Provider } from './payments/provider.ts';
import type { Limits } from '../http/rate-limit.ts';

/** What the shop's rules stand on. */
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
  count: (what: Counted) => void;
};
