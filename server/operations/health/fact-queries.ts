import { type ExpressionBuilder, sql } from 'kysely';
import { maxCount } from '../../../contract/admin/health-format.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { isNotAutomatic } from '../../shop/orders/refund-rows.ts';
import { selectUndecided } from '../../shop/payments/late-payments.ts';
import { selectUnknownPayments } from '../../shop/payments/unknown-payments.ts';
import { hoursAgo } from './notes.ts';

const maxFailures = 2000;

/*
 * Every select reads the start of one index, up to a limit. Conditions that are always true make the engine choose that
 * index. Values are literals where the condition of a partial index contains the same literal.
 */

export const selectTimes = (db: Db) =>
  db.selectFrom('last_time').select(['name', 'at']).where('name', '>', '').orderBy('name').limit(100);

export const selectOutages = (db: Db) =>
  db
    .selectFrom('outage')
    .select(['service', 'since', 'problem'])
    .where(sql<boolean>`service > ''`)
    .orderBy('service')
    .limit(10);

export const selectLeases = (db: Db) =>
  db.selectFrom('lease').select(['name', 'until']).where('name', '>', '').limit(10);

export const selectOpenPayments = (db: Db) =>
  db
    .selectFrom('payment')
    .select(['intent', 'created_at'])
    .where('state', '=', sql.lit('open'))
    .where('purchase_id', '>', '')
    .orderBy('purchase_id')
    .limit(maxCount);

/** The automatic refunds that are not finished. */
export const selectRefundsDue = (db: Db) =>
  db
    .selectFrom('payment')
    .innerJoin('refund', 'refund.payment_id', 'payment.id')
    .select(['payment.created_at', 'refund.status', 'refund.provider_id'])
    .where('payment.state', '=', sql.lit('refund_due'))
    .where('payment.id', '>', '')
    .orderBy('payment.id')
    .limit(maxCount);

export const selectUnknownTimes = (db: Db) =>
  selectUnknownPayments(db).select('seen_at').where('intent', '>', '').orderBy('intent').limit(maxCount);

export const selectLatePayments = (db: Db) =>
  selectUndecided(db)
    .innerJoin('purchase', 'purchase.id', 'payment.purchase_id')
    .select('purchase.number')
    .where('payment.purchase_id', '>', '')
    .orderBy('payment.purchase_id')
    .limit(10);

export const selectPendingRefunds = (db: Db) =>
  db
    .selectFrom('refund')
    .select(['created_at', 'provider_id'])
    .where('status', '=', 'pending')
    .where(isNotAutomatic)
    .orderBy('id')
    .limit(maxCount);

export const selectOwed = (db: Db) =>
  db
    .selectFrom('order_line')
    .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
    .select(['purchase.number', 'purchase.currency', 'order_line.owed'])
    .where('order_line.owed', '>', sql.lit(0))
    .where('order_line.id', '>', '')
    .orderBy('order_line.id', 'desc')
    .limit(maxCount);

export const selectOwedCharges = (db: Db) =>
  db
    .selectFrom('charge')
    .innerJoin('purchase', 'purchase.id', 'charge.purchase_id')
    .select(['purchase.number', 'purchase.currency', 'charge.owed'])
    .where('charge.owed', '>', sql.lit(0))
    .where('charge.id', '>', '')
    .orderBy('charge.id', 'desc')
    .limit(maxCount);

/** Refunds that were made although an admin had recorded them as repaid another way. */
export const selectPaidTwice = (db: Db) =>
  db
    .selectFrom('refund')
    .innerJoin('purchase', 'purchase.id', 'refund.purchase_id')
    .select(['purchase.number', 'refund.currency', 'refund.amount', 'refund.updated_at'])
    .where(sql<boolean>`refund.outcome = 'repaid' and refund.status in ('pending', 'succeeded')`)
    .where('refund.id', '>', '')
    .orderBy('refund.id', 'desc')
    .limit(maxCount);

export const selectDisputes = (db: Db) =>
  db
    .selectFrom('dispute')
    .leftJoin('purchase', 'purchase.id', 'dispute.purchase_id')
    .select([
      ...(['purchase.number', 'dispute.amount', 'dispute.currency'] as const),
      ...(['dispute.reason', 'dispute.status', 'dispute.respond_by'] as const),
    ])
    .where('is_open', '=', sql.lit(1))
    .orderBy('dispute.id')
    .limit(maxCount);

export const selectHolds = (db: Db) =>
  db
    .selectFrom('purchase')
    .innerJoin('order_line', 'order_line.purchase_id', 'purchase.id')
    .select(['quantity', 'hold_until'])
    .where('purchase.status', '=', sql.lit(''))
    .where('hold_until', '>=', 0)
    .orderBy('hold_until')
    .limit(maxCount);

export const selectFailures = (db: Db) =>
  db
    .selectFrom('error_count')
    .select(['what', 'times', 'last_at', 'request_id'])
    .where('hour', '>=', hoursAgo(24))
    .orderBy('hour', 'desc')
    .limit(maxFailures);

export const selectWaitingMail = (db: Db) =>
  db
    .selectFrom('mail')
    .select('created_at')
    .where('state', '=', sql.lit('waiting'))
    .where('due_at', '>', 0)
    .orderBy('due_at')
    .limit(maxCount);

export const selectFailedMail = (db: Db) =>
  db
    .selectFrom('mail')
    .select('due_at')
    .where('state', '=', sql.lit('failed'))
    .where('due_at', '>', 0)
    .orderBy('due_at')
    .limit(maxCount);

/** The latest failed messages, each with its last attempt. */
export const selectLastFailedMail = (db: Db) =>
  db
    .selectFrom('mail')
    .select(['recipient', 'kind', 'created_at'])
    .select((mail) => selectAttempt(mail).select('at').as('at'))
    .select((mail) => selectAttempt(mail).select('response').as('response'))
    .where('state', '=', sql.lit('failed'))
    .where('due_at', '>', 0)
    .orderBy('due_at', 'desc')
    .limit(10);

/** The last attempt. This is a subquery because PostgreSQL may read all attempts for a join. */
const selectAttempt = (mail: ExpressionBuilder<Schema, 'mail'>) =>
  mail
    .selectFrom('mail_attempt')
    .whereRef('mail_attempt.mail_id', '=', 'mail.id')
    .whereRef('mail_attempt.attempt', '=', 'mail.attempts');
