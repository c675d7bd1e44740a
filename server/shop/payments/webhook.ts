import type Stripe from 'stripe';
import { z } from 'zod';
import { contract } from '../../../contract/contract.ts';
import { ShopError } from '../../../contract/errors.ts';
import { id } from '../../../contract/fields.ts';
import { apiBase } from '../../../contract/paths.ts';
import type { Calls } from '../../http/calls/route.ts';
import { createShares } from '../../http/connections/shares.ts';
import { readBody } from '../../http/request.ts';
import type { Shop } from '../shop.ts';
import { requireOwnAccount } from './account.ts';
import { recordRefundOfLate } from './late-payments.ts';
import { recordDispute } from './refunds/disputes.ts';
import { refundPayment } from './refunds/payment-refunds.ts';
import { syncRefunds } from './refunds/sync.ts';
import { findPaymentByIntent, type PaymentRow, settlePayment } from './settle.ts';
import { isUnknownObject } from './stripe-client.ts';
import { recordUnknownPayment } from './unknown-payments.ts';

const intentShape = z.object({
  id,
  status: z.string(),
  amount_received: z.int().default(0),
  currency: z.string().max(10).default(''),
  metadata: z.object({
    shop: z.string().optional(),
    order: id.catch(''),
    number: z.string().max(20).catch(''),
  }),
});

const intentEvents = ['payment_intent.succeeded', 'payment_intent.canceled'];
const refundEvents = ['refund.created', 'refund.updated', 'refund.failed', 'charge.refunded'];
const disputeEvents = ['charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.closed'];
/** Any other event is answered with 200 and ignored. */
export const handledEvents = [...intentEvents, ...refundEvents, ...disputeEvents];

const maxBodyBytes = 1_000_000;
/** Events are smaller than this, so they arrive even while strangers hold all places for larger bodies. */
const maxSmallBodyBytes = 100_000;
/** The number of larger bodies read at a time. Anybody can send one, because the signature is checked after the last byte. */
const maxLargeBodies = 64;

export function mountWebhook(calls: Calls, shop: Shop): void {
  // Without route(): the signature covers the raw body.
  const { method, path } = contract.receiveStripeEvent;
  const largeBodies = createShares(maxLargeBodies);
  calls.router.on(method, apiBase + path, async (c) => {
    const signature = c.req.header('stripe-signature') ?? '';
    if (!isWellFormed(signature)) throw forged();
    const body = await readEventBody(c.req.raw, () => largeBodies.take(c.env.address));
    await receiveEvent({ ...shop, provider: shop.backgroundProvider }, body, signature);
    return c.json({ received: true });
  });
}

const forged = () => new ShopError('forged', 'The signature is not valid.');

/** Whether a `Stripe-Signature` header has a time and at least one signature: `t=1700000000,v1=5257a8…`. */
function isWellFormed(header: string): boolean {
  const fields = header.split(',');
  return (
    fields.some((field) => /^t=\d+$/.test(field)) && fields.some((field) => /^v1=[0-9a-f]{64}$/.test(field))
  );
}

/** Reads an event. Throws 503 if it is large and there is no place for it. */
async function readEventBody(request: Request, takePlace: () => (() => void) | undefined): Promise<string> {
  let received = 0;
  let release: (() => void) | undefined;
  const count = (bytes: number) => {
    received += bytes;
    if (release || received <= maxSmallBodyBytes) return;
    release = takePlace();
    if (!release)
      throw new ShopError('unavailable', 'Too many large events are arriving. Try again shortly.', {
        retryAfter: 30,
      });
  };
  try {
    return new TextDecoder().decode(await readBody(request, maxBodyBytes, undefined, count));
  } finally {
    release?.();
  }
}

/**
 * An event is only a hint to fetch the current state, so duplicate and out-of-order events are harmless. Throws 400 for a forged
 * signature. If the provider is unreachable or refuses to answer, throws its error, so that it resends the event for up to three
 * days, or a few hours in test mode (https://docs.stripe.com/webhooks#retries). After that, only reconciliation is left.
 */
async function receiveEvent(shop: Shop, body: string, signature: string): Promise<void> {
  const event = await shop.provider.readEvent(body, signature);
  if (!event) throw forged();
  // The account may serve other shops, and a live shop may receive test events.
  if (event.livemode !== shop.provider.livemode) return;
  shop.recordTime('webhook');
  if (refundEvents.includes(event.type)) return receiveRefund(shop, event);
  if (disputeEvents.includes(event.type)) return receiveDispute(shop, event);
  if (!intentEvents.includes(event.type)) return;
  const { data: parsed } = z.object({ object: intentShape }).safeParse(event.data);
  if (!parsed) {
    // The event may be about one of our payments. With its id, an operator can find it at the provider.
    return shop.log.warn({ event: event.id, type: event.type }, 'a payment event could not be parsed');
  }
  const intent = parsed.object;
  const payment = await findPaymentByIntent(shop.database.db, intent.id);
  if (payment) {
    shop.recordTime('webhook of a payment');
    await applyEvent(shop, payment, async () => {
      await settlePayment(shop, payment, await shop.provider.getIntent(intent.id));
    });
  } else if (intent.status === 'succeeded' && intent.metadata.shop === shop.id)
    await recordIfPaid(shop, intent.id);
}

/**
 * Runs `work` for an event about a payment of the shop. If the provider does not know the payment, or its dispute, there is nothing
 * to wait for, so the event is accepted. But if the payment was made with another account, throws 503: the key may be restored before
 * the last retry.
 */
async function applyEvent(shop: Shop, payment: PaymentRow, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isUnknownObject(error)) throw error;
    await requireOwnAccount(shop, payment, error);
    warnOfUnknown(shop, payment.intent, error);
  }
}

const warnOfUnknown = ({ log }: Shop, intent: string | null, error: unknown) =>
  log.warn({ intent, error }, 'an event names a payment or a dispute that the provider does not know');

/** Anybody who knows the signing secret can make up a payment, so only the provider's own answer is recorded. */
async function recordIfPaid(shop: Shop, intentId: string): Promise<void> {
  const fetched = await shop.provider.getIntent(intentId).catch((error: unknown) => {
    if (!isUnknownObject(error)) throw error;
    return warnOfUnknown(shop, intentId, error);
  });
  const { data: intent } = intentShape.safeParse(fetched);
  if (intent?.id === intentId && intent.status === 'succeeded' && intent.metadata.shop === shop.id)
    await recordUnknownPayment(shop, intent);
}

/** The refunded payment may belong to another shop. */
async function receiveRefund(shop: Shop, { data }: Stripe.Event): Promise<void> {
  const { success, data: parsed } = z.object({ object: z.object({ payment_intent: id }) }).safeParse(data);
  const { db } = shop.database;
  const payment = success ? await findPaymentByIntent(db, parsed.object.payment_intent) : undefined;
  if (payment) await applyEvent(shop, payment, () => updateRefunds(shop, payment));
}

async function updateRefunds(shop: Shop, found: PaymentRow): Promise<void> {
  const { intent } = found;
  if (!intent) return;
  let payment: PaymentRow | undefined = found;
  if (payment.state === 'open' || payment.state === 'cancelled') {
    // The event about the payment itself has not arrived yet.
    await settlePayment(shop, payment, await shop.provider.getIntent(intent));
    payment = await findPaymentByIntent(shop.database.db, intent);
  }
  if (payment?.state === 'paid')
    await syncRefunds(shop, { intent, purchaseId: payment.purchase_id, paymentId: payment.id });
  else if (payment?.state === 'undecided') await recordRefundOfLate(shop, payment);
  else if (payment) await refundPayment(shop, payment);
}

/** The disputed payment may belong to another shop. */
async function receiveDispute(shop: Shop, { data }: Stripe.Event): Promise<void> {
  const shape = z.object({ object: z.object({ id, payment_intent: id }) });
  const { success, data: parsed } = shape.safeParse(data);
  const { db } = shop.database;
  const payment = success ? await findPaymentByIntent(db, parsed.object.payment_intent) : undefined;
  if (success && payment)
    await applyEvent(shop, payment, async () => {
      await recordDispute(shop, await shop.provider.getDispute(parsed.object.id));
    });
}
