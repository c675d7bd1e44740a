import type { Trouble } from '../../../contract/admin/health.ts';
import { dayMs } from '../../../contract/durations.ts';
import { queueTroubles } from '../../shop/mail/queue.ts';
import type { Shop } from '../../shop/shop.ts';
import { readTroubleFacts } from './facts.ts';
import { findNamedTroubles, type NamedTrouble, unmailable } from './troubles.ts';

const maxTroubles = 100;
/** The `latest` of a report whose problem has ended. If the problem returns and lasts, it is reported again a day later. */
const ended = 'ended';

/** Sends the admins one message about problems that are new or have happened again. Each problem is reported at most once a day. */
export async function reportTroubles(shop: Shop): Promise<void> {
  if (!shop.sendsMail) return;
  const { config, database } = shop;
  const { db } = database;
  const found = findNamedTroubles(await readTroubleFacts(database), config);
  const current = new Map(
    found.filter(({ name }) => !unmailable.includes(name)).map((one) => [one.name, one]),
  );
  const reports = await db
    .selectFrom('trouble_report')
    .selectAll()
    .where('name', '>', '')
    .orderBy('name')
    .limit(maxTroubles)
    .execute();
  const dayAgo = Date.now() - dayMs;
  const isRecent = (report: { reported_at: number }) => report.reported_at > dayAgo;
  const absent = reports.filter(({ name }) => !current.has(name));
  const forgotten = absent.filter((report) => !isRecent(report));
  const justEnded = absent.filter((report) => isRecent(report) && report.latest !== ended);
  const isReported = ({ name, latest }: NamedTrouble) =>
    reports.some((report) => report.name === name && (isRecent(report) || report.latest === (latest ?? '')));
  const troubles = [...current.values()].filter((trouble) => !isReported(trouble));
  if (troubles.length + forgotten.length + justEnded.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { name } of forgotten)
      await tx.deleteFrom('trouble_report').where('name', '=', name).execute();
    for (const { name } of justEnded)
      await tx.updateTable('trouble_report').set({ latest: ended }).where('name', '=', name).execute();
    const news: Trouble[] = [];
    for (const { name, latest, trouble } of troubles) {
      const report = { latest: latest ?? '', reported_at: Date.now() };
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('trouble_report')
        .values({ name, ...report })
        // If this run has lost its lease, another run may have reported the problem in the meantime.
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet(report).where('trouble_report.reported_at', '<=', dayAgo),
        )
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows) news.push(trouble);
    }
    await queueTroubles(shop, tx, news);
  });
}
