import fc from 'fast-check';
import type { Act, State } from './rules.ts';

/** An act before there is anything to do it to: numbers choose among what is there, the newest being 0. */
type Wish = {
  do: Act['do'];
  which: number;
  other: number;
  /** Chooses among those of which it can come true first. */
  apt: boolean;
  pieces: number;
  card: 'good' | 'declined';
};

const often: [number, Act['do']][] = [
  [3, 'order'],
  [5, 'open'],
  [7, 'confirm'],
  [4, 'tell'],
  [3, 'event'],
  [3, 'delete'],
  [4, 'end hold'],
  [5, 'look'],
  [2, 'ship'],
  [1, 'promote'],
  [1, 'demote'],
  [1, 'remove product'],
];

export const wish: fc.Arbitrary<Wish> = fc.record({
  do: fc.oneof(...often.map(([weight, name]) => ({ weight, arbitrary: fc.constant(name) }))),
  // Mostly the same order, so that they meet.
  which: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(4) }),
  other: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(4) }),
  apt: fc.boolean(),
  pieces: fc.integer({ min: 1, max: 4 }),
  card: fc.constantFrom('good', 'good', 'good', 'good', 'declined'),
});

/** The act that a wish comes to; where there is nothing to do it to, the one that has to come first. */
export function chooseAct(wish: Wish, { products, orders, intents }: State): Act {
  const could = wish.apt ? whereApt[wish.do] : undefined;
  const order = newest(
    aptLast(orders, ({ status }) => could?.includes(status)),
    wish.which,
  );
  const own = order && orders[order]?.intent;
  const known = aptLast(intents, (now) => wish.apt && now === (wish.do === 'confirm' ? 'open' : 'paid'));
  const intent = (wish.other === 0 && !wish.apt && own) || newest(known, wish.other);
  const product = newest(Object.keys(products), wish.pieces) ?? '';
  const person = wish.which % 2;
  switch (wish.do) {
    case 'look':
      return { do: 'look' };
    case 'promote':
    case 'demote':
      return { do: wish.do, person };
    case 'remove product':
      // One stays, so that there is something to sell.
      if (Object.keys(products).length > 1) return { do: wish.do, product };
  }
  if (order === undefined || wish.do === 'order' || wish.do === 'remove product')
    return { do: 'order', person, product, pieces: wish.pieces };
  switch (wish.do) {
    case 'ship':
      return { do: 'ship', order, person: wish.pieces % 2 };
    case 'open':
    case 'delete':
    case 'end hold':
      return { do: wish.do, order };
  }
  if (intent === undefined) return { do: 'open', order };
  switch (wish.do) {
    case 'confirm':
      return { do: 'confirm', intent, card: wish.card };
    case 'tell': {
      const itsOrder = Object.keys(orders).find((id) => orders[id]?.intent === intent);
      return { do: 'tell', order: (wish.apt && itsOrder) || order, intent };
    }
    case 'event':
      return { do: 'event', intent };
  }
}

/** The states of an order in which something can be done to it. */
const whereApt: Partial<Record<Act['do'], string[]>> = {
  open: ['expired'],
  delete: ['', 'expired'],
  'end hold': [''],
  ship: ['paid'],
};

function aptLast<T>(all: Record<string, T>, isApt: (one: T) => boolean | undefined): string[] {
  const ids = Object.keys(all);
  const apt = new Set(Object.entries(all).flatMap(([id, one]) => (isApt(one) ? [id] : [])));
  return [...ids.filter((id) => !apt.has(id)), ...apt];
}

const newest = (ids: string[], at: number) => ids.at(-1 - (at % ids.length));
