import type Stripe from 'stripe';
import { z } from 'zod';
import { id } from '../../contract/fields.ts';
import { ShopError } from '../errors.ts';
import { readBody } from '../request.ts';
import type { Shop } from '../shop.ts';
import { findPaymentOfIntent } from './queries.ts';
import { refund } from './refund.ts';
import { settle } from './settle.ts';

const intentEvents = ['payment_intent.succeeded', 'payment_intent.canceled'];
const refundEvents = ['refund.created', 'refund.updated', 'refund.failed', 'charge.refunded'];

/** The events that the provider has to send; any other is answered 200 and ignored. */
export const handledEvents = [...intentEvents, ...refundEvents];

/**
 * Takes an event of the provider: a hint to look again, never the truth itself, so that doubles and a wrong
 * order of events do no harm. Throws 400 for a signature that is not the provider's, 503 where it cannot be
 * asked; the provider then sends the event again.
 */
export async function receiveEvent(shop: Shop, request: Request): Promise<void> {
  const body = new TextDecoder().decode(await readBody(request, 1_000_000));
  const event = await shop.provider.readEvent(body, request.headers.get('stripe-signature') ?? '');
  if (!event) throw new ShopError('forged', 'The signature is not ours.');
  // The account may serve other shops, and test events may reach a live one.
  if (event.livemode !== shop.provider.livemode) return;
  shop.happened('webhook');
  if (refundEvents.includes(event.type)) return receiveRefund(shop, event);
  const intent = intentOf(shop, event);
  if (!intent) return;
  const payment = await findPaymentOfIntent(shop.database.db, intent.id);
  if (payment) {
    shop.happened('webhook of a payment');
    await settle(shop, payment, await shop.provider.getIntent(intent.id));
  } else if (intent.status === 'succeeded' && intent.metadata.shop === shop.id)
    await noteUnknown(shop, intent);
}

/** A refund or a refunded charge, possibly of another payment of the account. */
async function receiveRefund(shop: Shop, { data }: Stripe.Event): Promise<void> {
  const { success, data: read } = z.object({ object: z.object({ payment_intent: id }) }).safeParse(data);
  const payment = success && (await findPaymentOfIntent(shop.database.db, read.object.payment_intent));
  if (payment) await refund(shop, payment);
}

/** What is read of an event's intent. Events of another version of the API, or of other things, are none. */
const intentShape = z.object({
  id,
  status: z.string(),
  amount_received: z.int().default(0),
  currency: z.string().max(10).default(''),
  metadata: z.object({ shop: z.string().optional(), order: id.catch('') }),
});
type Intent = z.output<typeof intentShape>;

function intentOf(shop: Shop, { id: event, type, data }: Stripe.Event): Intent | undefined {
  if (!intentEvents.includes(type)) return undefined;
  const read = z.object({ object: intentShape }).safeParse(data);
  // It may be money of ours: whoever looks for it finds the event at the provider.
  if (!read.success) shop.log.warn({ event, type }, 'an event of a payment cannot be read');
  return read.data?.object;
}

/** Our money, of which this database knows nothing (it was restored): for the admin to judge. */
async function noteUnknown(shop: Shop, intent: Intent): Promise<void> {
  await shop.database.db
    .insertInto('unknown_payment')
    .values({
      intent: intent.id,
      amount: intent.amount_received,
      currency: intent.currency.toUpperCase(),
      order_id: intent.metadata.order,
      seen_at: Date.now(),
    })
    .onConflict((conflict) => conflict.column('intent').doNothing())
    .execute();
  shop.log.error(
    { intent: intent.id },
    'a payment with our id that this database does not know: look at it at the provider',
  );
}
