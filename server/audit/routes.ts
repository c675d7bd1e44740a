import { contract } from '../../contract/contract.ts';
import { rowsToFetch } from '../answer.ts';
import { type Calls, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { selectAudit } from './audit.ts';

export function mountAudit(calls: Calls, shop: Shop): void {
  route(calls, contract.listAudit, async ({ query }) => {
    const rows = await selectAudit(shop.database.db, rowsToFetch(query), query.after);
    return rows.map(({ id, at, ...entry }) => ({ _id: id, at: new Date(at).toISOString(), ...entry }));
  });
}
