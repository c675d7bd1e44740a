import type { Profile } from '../../contract/users.ts';
import type { Client } from '../../web/client/client.ts';
import type { Opening } from '../support/auditor.ts';

export type Ledger = ReturnType<typeof openLedger>;

export type Customer = {
  email: string;
  token: string;
  client: Client;
  /** What the shop has said that it saved, and what it was asked to save since and has not answered. */
  profile: { saved?: Profile; asked: Profile[] };
};

/** A write with an `Idempotency-Key`: repeated, it is to give the first answer's id. */
export type KeyedWrite = {
  what: string;
  /** Sends it, or sends it again; gives the id. */
  send: () => Promise<string>;
  /** Undefined while nobody has heard whether it was done. */
  id?: string;
  /** What follows from its having been done. */
  note: (id: string) => void;
};

type OrderState = '' | 'paid' | 'sipping' | 'expired' | 'gone';

type OrderFact = {
  customer: Customer;
  product: string;
  pieces: number;
  /** As it was ordered. */
  price: number;
  /** Everything that it may be by now: what was known, and what was asked for and not answered. */
  may: Set<OrderState>;
};

type ProductFact = Opening & { may: Set<'sold' | 'gone'> };

/** What the shop was asked to write, and what it has answered: what it has to show after each start. */
export function openLedger() {
  return {
    customers: [] as Customer[],
    writes: [] as KeyedWrite[],
    orders: new Map<string, OrderFact>(),
    products: new Map<string, ProductFact>(),
    reviews: new Set<string>(),
    /** Addresses of pictures. */
    pictures: [] as string[],
    /** Writes that were answered with yes, and requests that were never answered. */
    answered: 0,
    unanswered: 0,
    /** Answers that no shop in order gives. */
    wrong: [] as string[],
  };
}

/** What never changes again, but for a paid order that is shipped. */
const isFinal = ({ may }: OrderFact) => !may.has('') && !may.has('expired');

/** Notes that something is asked for which makes the order this, where that is still possible. */
export function mayBecome(order: OrderFact, state: OrderState): void {
  if (!isFinal(order) || (state === 'sipping' && order.may.has('paid'))) order.may.add(state);
}

/** Notes that the order is this from now on, and may go on to be shipped where that was asked. */
export function settleOrder(ledger: Ledger, id: string, state: OrderState): void {
  const order = ledger.orders.get(id);
  if (!order) return;
  const { may } = order;
  // It was shipped while the answer that it is paid was on its way.
  if (state === 'paid' && may.has('sipping'))
    order.may = new Set(may.has('paid') ? ['paid', 'sipping'] : ['sipping']);
  else if (may.has(state)) order.may = new Set([state]);
  else
    ledger.wrong.push(`order ${id} is '${state}' now, but was answered to be '${[...may].join("' or '")}'`);
}
