import { randomUUID } from 'node:crypto';
import { ApiError } from '../../web/client/api/client.ts';
import { confirmIntent, refundOrder, requestStripe, shipParcel } from '../support/payments.ts';
import { refundedEvent, sendEvent, succeededEvent } from '../support/stripe-event.ts';
import type { Action, Card, Outcome, PerformedAction } from './rules.ts';
import { unitPrice, type World } from './world.ts';

/**
 * Performs actions concurrently, as browsers, the provider and time would. Throws if the shop fails. If the provider is
 * made to fail, `provider_unreachable` counts as a rejection.
 */
export function performActions(
  world: World,
  actions: Action[],
  providerFails = false,
): Promise<PerformedAction[]> {
  return Promise.all(
    actions.map(async (action) => ({ action, outcome: await performAction(world, action, providerFails) })),
  );
}

async function performAction(world: World, action: Action, providerFails: boolean): Promise<Outcome> {
  try {
    const value = await sendAction(world, action);
    return value === undefined ? { ok: false, conflict: false } : { ok: true, value: String(value) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, type } = error.problem;
    if (status >= 500 && !(providerFails && type === 'urn:problem:provider_unreachable')) throw error;
    return {
      ok: false,
      conflict: type === 'urn:problem:conflict',
      refused: type === 'urn:problem:provider_refused',
      outdated: type === 'urn:problem:purchase_changed',
    };
  }
}

const cards: Record<Card, string> = {
  // Refunds to this card succeed at first. They fail later, when the bank returns the money.
  accepted: 'pm_card_refundFail',
  declined: 'pm_card_visa_chargeDeclined',
  disputed: 'pm_card_createDispute',
};
const reason = 'other' as const;

/** Finds a refund by its id in the model: the tag, which is the note of a refund that the shop requested, or the provider's id. */
const findRefund = ({ shop }: World, id: string) =>
  shop.database.db
    .selectFrom('refund')
    .select(['id', 'provider_id'])
    .where((eb) => eb.or([eb('note', '=', id), eb('provider_id', '=', id)]))
    .executeTakeFirst();

/** Returns the ids or the count in the response. Returns undefined if the card is declined or the shop does not know the refund. */
async function sendAction(world: World, action: Action): Promise<string | number | undefined> {
  const { shop, people, admin, owners } = world;
  const client = shop.client(admin);
  const getPerson = (at: number) => people[at] ?? admin;
  const getOwnerClient = (order: string) => shop.client(owners.get(order) ?? admin);
  switch (action.type) {
    case 'order': {
      const person = getPerson(action.person);
      const { insertedId } = await shop.client(person).call('placeOrder', {
        body: {
          orderId: action.product,
          orderQuantity: action.pieces,
          price: action.pieces * unitPrice,
          user: person.email,
        },
      });
      owners.set(insertedId, person);
      return insertedId;
    }
    case 'order several': {
      const person = getPerson(action.person);
      const lines = action.lines.map(({ product, pieces }) => ({ orderId: product, orderQuantity: pieces }));
      const price = action.lines.reduce((sum, { pieces }) => sum + pieces, 0) * unitPrice;
      const placed = await shop.client(person).call('placePurchase', { body: { lines, price } });
      const ids = [placed.insertedId, ...placed.orders];
      for (const id of ids) owners.set(id, person);
      return ids.join(' ');
    }
    case 'open': {
      const { purchase, order } = action;
      const body = { price: action.pieces * unitPrice, ...(order === undefined ? { purchase } : { order }) };
      const { clientSecret } = await getOwnerClient(purchase).call('createPaymentIntent', { body });
      return clientSecret.replace(/_secret_.*/, '');
    }
    case 'confirm': {
      const { status } = await confirmIntent(shop, { id: action.intent }, cards[action.card]);
      return status === 'succeeded' ? status : undefined;
    }
    case 'report paid':
      return (
        await getOwnerClient(action.order).call('markOrderPaid', {
          params: { id: action.order },
          body: { order: action.order, transactionId: action.intent, orderStatus: 'paid' },
        })
      ).modifiedCount;
    case 'event': {
      const event = action.about === 'payment' ? succeededEvent : refundedEvent;
      const response = await sendEvent(shop, event(action.intent));
      if (!response.ok) throw new ApiError(await response.json());
      return '';
    }
    case 'delete':
      return (await getOwnerClient(action.order).call('deleteOrder', { params: { id: action.order } }))
        .deletedCount;
    case 'ship': {
      const request = { params: { id: action.order }, body: { orderStatus: 'sipping' as const } };
      return (await shop.client(getPerson(action.person)).call('shipOrder', request)).modifiedCount;
    }
    case 'ship pieces': {
      const lines = [{ order: action.order, quantity: action.pieces }];
      return shipParcel(client, { lines });
    }
    case 'readdress': {
      const { order, by } = action;
      const caller = by === 'owner' ? getOwnerClient(order) : client;
      const { purchase, version } = await caller.call('getOrder', { params: { id: order } });
      const body = { version, address: randomUUID() };
      return (await caller.call('changeDelivery', { params: { id: purchase }, body })).modifiedCount;
    }
    case 'take back':
      return (await client.call('undoShipment', { params: { id: action.parcel } })).deletedCount;
    case 'refund': {
      const { pieces, restock, tag } = action;
      const amount = pieces === undefined ? {} : { amount: pieces * unitPrice };
      const request = {
        params: { id: action.order },
        body: { ...amount, reason, restock, note: tag },
      };
      return (await refundOrder(client, request)).insertedId;
    }
    case 'refund all': {
      const params = { id: action.purchase };
      const { version } = await client.call('getPurchase', { params });
      const body = { version, reason, restock: action.restock, note: action.tag };
      return (await client.call('refundPurchase', { params, body })).insertedId;
    }
    case 'refund again': {
      const replaces = await findRefund(world, action.refund);
      const { version, orders } = await client.call('getPurchase', { params: { id: action.purchase } });
      const body = {
        version,
        amount: action.pieces * unitPrice,
        quantity: 0,
        restock: 0,
        reason,
        note: action.tag,
      };
      const params = { id: orders[0]?._id ?? '' };
      return (
        replaces &&
        (await client.call('refundOrder', { params, body: { ...body, replaces: replaces.id } })).insertedId
      );
    }
    case 'settle': {
      const refund = await findRefund(world, action.refund);
      const body = { outcome: action.outcome };
      return refund && (await client.call('settleRefund', { params: { id: refund.id }, body })).modifiedCount;
    }
    case 'assign': {
      const { version } = await client.call('getPurchase', { params: { id: action.purchase } });
      const refund = await findRefund(world, action.refund);
      const lines = action.lines.map(({ order, amount, pieces, restock }) => ({
        order,
        amount: amount * unitPrice,
        quantity: pieces,
        restock,
      }));
      const body = { version, lines };
      return refund && (await client.call('assignRefund', { params: { id: refund.id }, body })).modifiedCount;
    }
    case 'return': {
      const params = { id: action.order };
      const { version } = await client.call('getOrder', { params });
      const body = { version, quantity: action.pieces };
      return (await client.call('recordReturn', { params, body })).modifiedCount;
    }
    case 'fail refund': {
      const refund = await findRefund(world, action.refund);
      await shop.stripe.finish(refund?.provider_id ?? action.refund);
      return '';
    }
    case 'decide dispute': {
      const { data } = await requestStripe(shop, 'GET', `/disputes?payment_intent=${action.intent}`);
      const form = {
        'evidence[uncategorized_text]': action.status === 'won' ? 'winning_evidence' : 'losing_evidence',
      };
      const dispute = data[0] && (await requestStripe(shop, 'POST', `/disputes/${data[0].id}`, form));
      return dispute?.error ? undefined : dispute?.id;
    }
    case 'refund at provider': {
      const form = { payment_intent: action.intent, amount: `${action.pieces * unitPrice * 100}` };
      // An injected failure may also end this request.
      const refund = await requestStripe(shop, 'POST', '/refunds', form).catch(() => undefined);
      return refund?.error ? undefined : refund?.id;
    }
    case 'promote': {
      const params = { email: getPerson(action.person).email };
      return (await client.call('makeAdmin', { params })).modifiedCount;
    }
    case 'demote': {
      const { numUpdatedRows } = await shop.database.db
        .updateTable('user')
        .set({ role: null })
        .where('email', '=', getPerson(action.person).email)
        .where('role', 'is not', null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    }
    case 'delete product':
      return (await client.call('deleteProduct', { params: { id: action.product } })).deletedCount;
    case 'end hold':
      await shop.database.db
        .updateTable('purchase')
        .set({ hold_until: 1 })
        .where('id', '=', action.purchase)
        .where('status', '=', '')
        .execute();
      return '';
    case 'periodic work':
      await shop.doPeriodicWork();
      return '';
  }
}
