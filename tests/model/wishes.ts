import fc from 'fast-check';
import type { Act, State } from './rules.ts';

/** An act before there is anything to do it to: numbers choose among what is there, the newest being 0. */
type Wish = { do: Act['do']; which: number; other: number; pieces: number; card: 'good' | 'declined' };

const often: [number, Act['do']][] = [
  [4, 'order'],
  [5, 'open'],
  [5, 'confirm'],
  [4, 'tell'],
  [3, 'event'],
  [3, 'delete'],
  [3, 'end hold'],
  [3, 'look'],
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
  pieces: fc.integer({ min: 1, max: 4 }),
  card: fc.constantFrom('good', 'good', 'good', 'declined'),
});

/** The act that a wish comes to; undefined where there is nothing to do it to. */
export function chooseAct(wish: Wish, { products, orders, intents }: State): Act | undefined {
  const order = newest(Object.keys(orders), wish.which);
  const own = order && orders[order]?.intent;
  const intent = (wish.other === 0 && own) || newest(Object.keys(intents), wish.which + wish.other);
  const product = newest(Object.keys(products), wish.which);
  const person = wish.which % 2;
  switch (wish.do) {
    case 'order':
      return product === undefined ? undefined : { do: 'order', person, product, pieces: wish.pieces };
    case 'open':
    case 'delete':
    case 'end hold':
      return order === undefined ? undefined : { do: wish.do, order };
    case 'ship':
      return order === undefined ? undefined : { do: 'ship', order, person: wish.pieces % 2 };
    case 'confirm':
      return intent === undefined ? undefined : { do: 'confirm', intent, card: wish.card };
    case 'tell':
      return order === undefined || intent === undefined ? undefined : { do: 'tell', order, intent };
    case 'event':
      return intent === undefined ? undefined : { do: 'event', intent };
    case 'promote':
    case 'demote':
      return { do: wish.do, person };
    case 'remove product':
      // One stays, so that there is something to sell.
      return product === undefined || Object.keys(products).length < 2 ? undefined : { do: wish.do, product };
    case 'look':
      return { do: 'look' };
  }
}

const newest = (ids: string[], at: number) => ids.at(-1 - (at % ids.length));
