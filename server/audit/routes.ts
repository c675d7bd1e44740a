import { contract } from '../../contract/contract.ts';
import { rowsToFetch } from '../answer.ts';
import { type Calls, route } from '../route.ts';
import type { Shop } from '../shop.ts';
import { selectAudit } from './audit.ts';

export function mountAudit(calls: Calls, shop: Shop): void {
  route(calls, contract.listAudit, async ({ query }) => {
    const rows = await selectAudit(shop.database.db, rowsToFetch(query), query.after);
    // By name: a column that a newer release adds is none of ours.
    return rows.map(({ id, at, who, what, of, name }) => {
      return { _id: id, at: new Date(at).toISOString(), who, what, of, name };
    });
  });
}
