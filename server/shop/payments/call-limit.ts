import { consumeRateLimits } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';

/**
 * Counts a person's request that calls the provider; throws 429 above the limit. All kinds of requests share one limit, as they
 * share the account's limit at the provider: https://docs.stripe.com/rate-limits.
 */
export const countProviderCall = ({ database, rateLimits }: Shop, { id }: Pick<SessionUser, 'id'>) =>
  consumeRateLimits(database, { [`intent ${id}`]: rateLimits.intentsPerUser });
