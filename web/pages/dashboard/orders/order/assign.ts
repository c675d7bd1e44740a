import { z } from 'zod';
import {
  amount,
  id,
  parseAmount,
  parseNumber,
  parsePieces,
  quantity,
  seenVersion,
} from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** The names of the fields of an order, by its place in the purchase. */
export const assignFields = (at: number) =>
  ({ amount: `amount-${at}`, quantity: `quantity-${at}`, restock: `restock-${at}` }) as const;

type AssignValues = Record<string, string | number | undefined>;

type Price = Pick<Order, 'price' | 'refunded'>;

const toCents = (value: number): number => Math.round(value * 100);

/** What is left of an order's price. */
export const findRest = ({ price, refunded }: Price): number => (toCents(price) - toCents(refunded)) / 100;

/** Assigns a refund that was made at the provider to orders of the purchase. */
export const createAssignForm = (
  { number, orders }: { number: string; orders: readonly (Price & Pick<Order, '_id'>)[] },
  version?: number,
): ShopForm<AssignValues> => {
  const names = orders.map((_, at) => assignFields(at));
  const shape: Record<string, z.ZodType<string | number | undefined>> = { refund: id, version: seenVersion };
  const parse: Record<string, (input: unknown) => unknown> = { version: parseNumber };
  for (const name of names) {
    shape[name.amount] = amount('Amount').optional();
    shape[name.quantity] = quantity('Pieces refunded', 0).optional();
    shape[name.restock] = quantity('Pieces to return to stock', 0).optional();
    Object.assign(parse, {
      [name.amount]: parseAmount,
      [name.quantity]: parsePieces,
      [name.restock]: parsePieces,
    });
  }
  // Only tools with a rest have fields.
  const first = Math.max(
    0,
    orders.findIndex((order) => findRest(order) > 0),
  );
  const values = z.object(shape).superRefine((input, { addIssue }) => {
    const open = names.filter((name) => input[name.amount] === undefined);
    const withPieces = open.filter(
      (name) => Number(input[name.quantity]) > 0 || Number(input[name.restock]) > 0,
    );
    for (const { amount: field } of withPieces)
      addIssue({ code: 'custom', path: [field], message: 'Enter the amount for these pieces' });
    if (open.length === names.length && withPieces.length === 0)
      addIssue({
        code: 'custom',
        path: [assignFields(first).amount],
        message: 'Enter an amount for at least one tool',
      });
  });
  return {
    name: 'assign',
    fields: ['refund', ...names.flatMap((name) => Object.values(name)), 'version'],
    parse,
    validate: validateVersioned(values, version),
    send({ client }, input) {
      const lines = names.flatMap((name, at) => {
        const order = orders[at]?._id;
        const [sum, pieces = 0, restock = 0] = [
          input[name.amount],
          input[name.quantity],
          input[name.restock],
        ];
        return order !== undefined && sum !== undefined
          ? [{ order, amount: Number(sum), quantity: Number(pieces), restock: Number(restock) }]
          : [];
      });
      const body = { version: Number(input.version), lines };
      return client.call('assignRefund', { params: { id: String(input.refund) }, body });
    },
    redirectTo: `/dashboard/orders/${number}`,
    doneCode: 'assigned',
  };
};

/** More tools than these are not compared: there are too many sets of them. */
const maxCompared = 12;

/** The orders whose rests add up to exactly the amount of a refund; none if there are no such orders, or several sets of them. */
export function findExactOrders<Each extends Price>(orders: readonly Each[], refunded: number): Each[] {
  const open = orders.filter((order) => findRest(order) > 0);
  if (open.length > maxCompared) return [];
  let sets: Each[][] = [[]];
  for (const order of open) sets = sets.flatMap((set) => [set, [...set, order]]);
  const exact = sets.filter(
    (set) => set.reduce((sum, order) => sum + toCents(findRest(order)), 0) === toCents(refunded),
  );
  return exact.length === 1 ? (exact[0] ?? []) : [];
}
