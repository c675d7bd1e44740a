import { contract } from '../../../contract/contract.ts';
import { toSqlLimit } from '../../http/list-response.ts';
import { type Calls, route } from '../../http/route.ts';
import type { Shop } from '../shop.ts';
import { listAuditEntries } from './audit.ts';

export function mountAudit(calls: Calls, shop: Shop): void {
  route(calls, contract.listAudit, async ({ query }) => {
    const rows = await listAuditEntries(shop.database.db, toSqlLimit(query), query.after);
    // Name the columns: a newer release may have added others.
    return rows.map(({ id, at, who, what, of, name }) => {
      return { _id: id, at: new Date(at).toISOString(), who, what, of, name };
    });
  });
}
