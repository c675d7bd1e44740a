import type { Database } from '../database/database.ts';
import { readFacts } from '../health/facts.ts';
import type { Report } from './report.ts';

const hours = 3_600_000;

/** What the shop itself has noted: the page Health shows the same. */
export async function examineFacts(database: Database, report: Report): Promise<void> {
  const { payments, webhook, periodicWork, lastBackupAt } = await readFacts(database);
  const page = 'See Health in the dashboard.';
  const since = (at: string | null) => (at === null ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(at));

  if (webhook.lastAt !== null) report.ok(`Webhook: the last event of payments came ${tell(webhook.lastAt)}.`);
  else if (payments.lastPaidAt === null) report.ok('Webhook: none has come yet, and nothing was paid.');
  else
    report.wrong(
      `Webhook: orders were paid, last ${tell(payments.lastPaidAt)}, and no event of a payment ever came.`,
      'See what is said of the webhook below: its address, and STRIPE_WEBHOOK_SECRET.',
    );
  if (payments.unknown > 0)
    report.look(`Payments: ${payments.unknown} carry our id, and this database does not know them.`, page);
  if (payments.unanswered > 0)
    report.look(`Payments: ${payments.unanswered} were asked for, and Stripe has not answered.`, page);
  if (payments.oldestRefundAt !== null && since(payments.oldestRefundAt) > hours)
    report.look(
      `Payments: ${payments.refundsDue} wait to be refunded, the oldest ${tell(payments.oldestRefundAt)}.`,
      page,
    );
  if (periodicWork.lastFinishedAt !== null && since(periodicWork.lastFinishedAt) > hours)
    report.look(
      `The shop last looked after payments and stock ${tell(periodicWork.lastFinishedAt)}: it seems not to run.`,
      'Start it.',
    );
  if (lastBackupAt === null) report.look('Backup: none was ever made.', 'npm run backup -- FILE');
  else if (since(lastBackupAt) > 48 * hours)
    report.look(`Backup: the last was made ${tell(lastBackupAt)}.`, 'npm run backup -- FILE, each night');
  else report.ok(`Backup: the last was made ${tell(lastBackupAt)}.`);
}

const tell = (at: string) => at.replace('T', ' at ').replace(/\.\d+Z$/, ' UTC');
