import { ApiError } from '../../web/client/client.ts';
import { confirm } from '../support/payments.ts';
import { sendEvent, succeeded } from '../support/stripe-event.ts';
import type { Act, Done, Saw } from './rules.ts';
import { price, type World } from './world.ts';

/**
 * Does them at once, as browsers, the provider and time would. Throws where the shop fails; `provider_unreachable`
 * counts as refused where the provider is made to fail.
 */
export function performAll(world: World, acts: Act[], providerFails = false): Promise<Done[]> {
  return Promise.all(acts.map(async (act) => ({ act, saw: await perform(world, act, providerFails) })));
}

async function perform(world: World, act: Act, providerFails: boolean): Promise<Saw> {
  try {
    const value = await doAct(world, act);
    return value === undefined ? { ok: false, busy: false } : { ok: true, value: String(value) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, type } = error.problem;
    if (status >= 500 && !(providerFails && type === 'urn:problem:provider_unreachable')) throw error;
    return { ok: false, busy: type === 'urn:problem:conflict' };
  }
}

/** What it is answered with; undefined for a card that is not taken. */
async function doAct({ shop, people, admin, owners }: World, act: Act): Promise<string | number | undefined> {
  const personOf = (at: number) => people[at] ?? admin;
  const ownerOf = (order: string) => shop.client(owners.get(order) ?? admin);
  switch (act.do) {
    case 'order': {
      const person = personOf(act.person);
      const { insertedId } = await shop.client(person).call('placeOrder', {
        body: {
          orderId: act.product,
          orderQuantity: act.pieces,
          price: act.pieces * price,
          user: person.email,
        },
      });
      owners.set(insertedId, person);
      return insertedId;
    }
    case 'open': {
      const order = await ownerOf(act.order).call('getOrder', { params: { id: act.order } });
      const body = { price: order.price, order: act.order };
      const { clientSecret } = await ownerOf(act.order).call('createPaymentIntent', { body });
      return clientSecret.replace(/_secret_.*/, '');
    }
    case 'confirm': {
      const card = act.card === 'good' ? 'pm_card_visa' : 'pm_card_visa_chargeDeclined';
      const { status } = await confirm(shop, { id: act.intent }, card);
      return status === 'succeeded' ? status : undefined;
    }
    case 'tell':
      return (
        await ownerOf(act.order).call('markOrderPaid', {
          params: { id: act.order },
          body: { order: act.order, transactionId: act.intent, orderStatus: 'paid' },
        })
      ).modifiedCount;
    case 'event': {
      const answer = await sendEvent(shop, succeeded(act.intent));
      if (!answer.ok) throw new ApiError(await answer.json());
      return '';
    }
    case 'delete':
      return (await ownerOf(act.order).call('deleteOrder', { params: { id: act.order } })).deletedCount;
    case 'ship': {
      const asked = { params: { id: act.order }, body: { orderStatus: 'sipping' as const } };
      return (await shop.client(personOf(act.person)).call('shipOrder', asked)).modifiedCount;
    }
    case 'promote': {
      const params = { email: personOf(act.person).email };
      return (await shop.client(admin).call('makeAdmin', { params })).modifiedCount;
    }
    case 'demote': {
      const { numUpdatedRows } = await shop.database.db
        .updateTable('user')
        .set({ role: null })
        .where('email', '=', personOf(act.person).email)
        .where('role', 'is not', null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    }
    case 'remove product':
      return (await shop.client(admin).call('deleteProduct', { params: { id: act.product } })).deletedCount;
    case 'end hold':
      await shop.database.db
        .updateTable('orders')
        .set({ hold_until: 1 })
        .where('id', '=', act.order)
        .where('status', '=', '')
        .execute();
      return '';
    case 'look':
      await shop.doPeriodicWork();
      return '';
  }
}
