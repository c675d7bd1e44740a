import { contract } from '../../../contract/contract.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../../shop/shop.ts';
import { readFacts } from './facts.ts';
import { findTroubles } from './problems.ts';

export function mountHealth(calls: Calls, shop: Shop): void {
  const startedAt = Date.now();
  route(calls, contract.getHealth, async () => {
    const facts = await readFacts(shop.database);
    const sandbox = shop.config.services === undefined;
    return {
      troubles: findTroubles(facts, { sandbox, startedAt }),
      facts,
      startedAt: new Date(startedAt).toISOString(),
    };
  });
}
