import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { notFound, ShopError } from '../../../../contract/errors.ts';
import type { newPurchaseRefund } from '../../../../contract/orders/refunds.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { lockSubjects, type Subject } from '../../orders/subjects.ts';
import { requireVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { checkChargedBack, countUnrefunded, getUnreserved } from './lines.ts';
import { countRemoved, nothingLeft, notPaid, type RequestedLine, requestRefund } from './request.ts';
import { sendNewRefund } from './send.ts';

/**
 * Refunds all that is left of a paid purchase in one refund, with its charges and all pieces. Unshipped pieces will not be shipped. With `restock`,
 * they return to stock once the provider has accepted the refund. What is owed because a refund has failed stays owed. Returns the
 * refund's id. If the provider is unreachable, the refund is pending, and `reconcileRefund` requests it again. Throws 409 if the
 * purchase is unpaid, has changed since `version`, is already refunded or has an unassigned refund, or if the bank has taken back a
 * part of the payment; 402 if the provider refuses, in which case the refund has failed.
 */
export async function refundPurchase(
  shop: Shop,
  purchaseId: string,
  { version, reason, note, restock }: z.output<typeof newPurchaseRefund>,
  actor: SessionUser,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { database } = shop;
  const id = uuidv7();
  const refundId = await runIdempotently(database, idempotencyKey, id, async (tx) => {
    const subjects = await lockSubjects(tx, database.engine, purchaseId);
    const [first] = subjects;
    if (!first) throw notFound('order');
    requireVersion(first.version, version);
    const lines = listRest(subjects, restock);
    checkChargedBack(shop, subjects, lines);
    const request = { id, subjects, lines, reason, note, stillSend: false, replaces: null };
    await requestRefund(tx, request, actor, shop);
  });
  await sendNewRefund(shop, refundId, { isReplay: refundId !== id });
  return refundId;
}

/** All that is left of the orders and charges of a locked purchase. Throws 409 if nothing is left, or if a refund is not assigned yet. */
function listRest(subjects: readonly Subject[], restock: boolean): RequestedLine[] {
  if (subjects.some(({ transaction_id }) => transaction_id === null)) throw notPaid();
  if (subjects.some(({ unassigned }) => unassigned > 0))
    throw new ShopError(
      'conflict',
      'A refund was made at the payment provider. First choose the tools that it is for.',
    );
  const lines = subjects.flatMap((order): RequestedLine[] => {
    const amount = getUnreserved(order);
    if (amount <= 0) return [];
    const quantity = countUnrefunded(order);
    return [{ order, amount, quantity, restock: restock ? countRemoved(order, quantity) : 0 }];
  });
  if (lines.length === 0)
    throw nothingLeft(
      subjects.some(({ owed }) => owed > 0),
      { refundable: 0 },
    );
  return lines;
}
