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
import { maxLines } from '../../../../../contract/orders/purchases.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** The names of the fields of an order, by its place in the hidden field `orders`. */
export const assignFields = (at: number) =>
  ({ amount: `amount-${at}`, quantity: `quantity-${at}`, restock: `restock-${at}` }) as const;

type Price = Pick<Order, 'price' | 'refunded'>;

const toCents = (value: number): number => Math.round(value * 100);

/** The part of an order's price that has not been refunded. */
export const findRest = ({ price, refunded }: Price): number => (toCents(price) - toCents(refunded)) / 100;

const fieldNames = Array.from({ length: maxLines }, (_, index) => Object.values(assignFields(index))).flat();
const line = z.object({
  order: id,
  amount: amount('Amount').optional(),
  quantity: quantity('Pieces refunded', 0).default(0),
  restock: quantity('Pieces to return to stock', 0).default(0),
});

const values = z
  .looseObject({
    refund: id,
    orders: z.array(id),
    version: seenVersion,
    delivery: amount('Delivery', 0).default(0),
  })
  .transform(({ refund, orders, version, delivery, ...input }, { addIssue }) => {
    const lines: AssignedLine[] = [];
    let isRejected = false;
    const reject = (field: string, message: string) => {
      isRejected = true;
      addIssue({ code: 'custom', path: [field], message });
    };
    for (const [index, order] of orders.entries()) {
      const name = assignFields(index);
      const { data, error } = line.safeParse({
        order,
        amount: parseAmount(input[name.amount]),
        quantity: parsePieces(input[name.quantity]),
        restock: parsePieces(input[name.restock]),
      });
      const fields: Record<PropertyKey, string> = name;
      for (const { path, message } of error?.issues ?? [])
        reject(fields[path[0] ?? 'amount'] ?? name.amount, message);
      if (data?.amount !== undefined) lines.push({ ...data, amount: data.amount });
      else if (data && (data.quantity > 0 || data.restock > 0))
        reject(name.amount, 'Enter the amount for these pieces');
    }
    if (lines.length === 0 && delivery === 0 && !isRejected) {
      if (orders.length > 0) reject(assignFields(0).amount, 'Enter an amount for at least one tool');
      else reject('delivery', 'Enter the amount for delivery');
    }
    const charges = delivery > 0 ? [{ kind: 'delivery' as const, amount: delivery }] : undefined;
    return { refund, version, lines, ...(charges ? { charges } : {}) };
  });

type AssignedLine = z.output<typeof line> & { amount: number };

/** Assigns a refund that was made at the provider to orders and charges of the purchase. */
export const assignForm = defineForm({
  name: 'assign',
  fields: ['refund', 'orders', ...fieldNames, 'delivery', 'version'],
  access: 'admin',
  parse: { orders: (ids) => ids.split(' ').filter(Boolean), delivery: parseAmount, version: parseNumber },
  validate: validateWith(values),
  send: ({ client }, { refund, ...body }: z.output<typeof values>) =>
    client.call('assignRefund', { params: { id: refund }, body }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=assigned`,
});

/** With more tools than this, there would be too many sets to compare. */
const maxCompared = 12;

/** The orders and charges whose rests add up to exactly the amount of a refund. Empty if no set of them does, or several do. */
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
