import { formatQuantity } from '../../../contract/admin/health-format.ts';
import type { Database } from '../../database/database.ts';
import { retryFailedMail } from '../../mail/outbox.ts';
import type { Actor } from '../../shop/audit/actor.ts';
import { writeAudit } from '../../shop/audit/audit.ts';

/** Makes all failed messages due again. Returns their number. */
export function retryMail({ transaction }: Database, actor: Actor): Promise<number> {
  return transaction(async (tx) => {
    const count = await retryFailedMail(tx);
    if (count > 0)
      await writeAudit(tx, {
        ...actor,
        action: 'retryMail',
        target: 'mail',
        name: formatQuantity(count, 'message'),
      });
    return count;
  });
}
