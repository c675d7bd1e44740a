import { z } from 'zod';
import { newStockChange } from '../../../../../contract/catalogue/stock.ts';
import { id, parseNumber, parsePieces, quantity } from '../../../../../contract/fields.ts';
import { countProductsPage } from '../../../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';
import { countShelf } from '../stock/adjust.ts';
import { toSearch } from './query.ts';

const values = z.object({
  product: id,
  pieces: quantity('Number of pieces counted', 0),
  /** The number of pieces on the shelf when the count began, according to the shop; empty if the page does not know it. */
  shown: newStockChange.shape.expected,
  category: z.string(),
});

/**
 * Records a count of a product, even if it matches the stock. The shop rejects the count if the stock has changed since the count
 * began, because nobody knows whether the pieces were counted before or after, for example, a shipment. Returns the difference.
 */
export const countForm = defineForm({
  name: 'count',
  fields: ['pieces', 'product', 'shown', 'category'],
  access: 'admin',
  parse: { pieces: parsePieces, shown: parseNumber },
  validate: validateWith(values),
  async send({ client, key }, { product, pieces, shown, category }: z.output<typeof values>) {
    const params = { id: product };
    const expected = shown ?? countShelf(await client.call('getProduct', { params }));
    const body = { change: pieces - expected, reason: 'count' as const, expected };
    await client.call('adjustStock', { params, body, idempotencyKey: getIdempotencyKey(key, body) });
    return { change: body.change, category };
  },
  donePage: ({ category }) => `${countProductsPage}${toSearch({ category, done: 'counted' })}`,
});
