import { consumeRateLimits } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';

/**
 * Counts a person's request that calls the provider. All kinds share one limit, because they share the account's limit there:
 * https://docs.stripe.com/rate-limits. Throws 429.
 */
export const countProviderCall = ({ database, rateLimits }: Shop, { id }: Pick<SessionUser, 'id'>) =>
  consumeRateLimits(database, { [`intent ${id}`]: rateLimits.intentsPerUser });
