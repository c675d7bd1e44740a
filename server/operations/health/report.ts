import type { Trouble } from '../../../contract/admin/health.ts';
import { dayMs } from '../../http/rate-limit.ts';
import { queueTroubles } from '../../shop/mail/queue.ts';
import type { Shop } from '../../shop/shop.ts';
import { readTroubleFacts } from './facts.ts';
import { findNamedTroubles, type NamedTrouble, waitingMail } from './troubles.ts';

const maxTroubles = 100;

/**
 * Sends the admins one message about new problems and those that happened again, each at most once a day.
 */
export async function reportTroubles(shop: Shop): Promise<void> {
  if (!shop.sendsMail) return;
  const { config, database } = shop;
  const { db } = database;
  const found = findNamedTroubles(await readTroubleFacts(database), !config.services);
  const current = new Map(found.filter(({ name }) => name !== waitingMail).map((one) => [one.name, one]));
  const reports = await db
    .selectFrom('trouble_report')
    .selectAll()
    .where('name', '>', '')
    .orderBy('name')
    .limit(maxTroubles)
    .execute();
  const dayAgo = Date.now() - dayMs;
  const recent = reports.filter(({ reported_at }) => reported_at > dayAgo);
  const ended = reports.filter((report) => !recent.includes(report) && !current.has(report.name));
  const isReported = ({ name, latest }: NamedTrouble) =>
    recent.some((report) => report.name === name) ||
    reports.some((report) => report.name === name && report.latest === (latest ?? ''));
  const troubles = [...current.values()].filter((trouble) => !isReported(trouble));
  if (troubles.length === 0 && ended.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { name } of ended) await tx.deleteFrom('trouble_report').where('name', '=', name).execute();
    const news: Trouble[] = [];
    for (const { name, latest, trouble } of troubles) {
      const report = { latest: latest ?? '', reported_at: Date.now() };
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('trouble_report')
        .values({ name, ...report })
        // Another run may have reported it meanwhile, if this one has lost its lease.
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet(report).where('trouble_report.reported_at', '<=', dayAgo),
        )
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows) news.push(trouble);
    }
    await queueTroubles(shop, tx, news);
  });
}
