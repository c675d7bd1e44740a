import { contract } from '../../contract/contract.ts';
import { type Calls, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { readFacts } from './facts.ts';
import { findTroubles } from './troubles.ts';

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
