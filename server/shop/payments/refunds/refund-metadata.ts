import type { LineRow, Refund } from '../../orders/refund-rows.ts';

/* The metadata at the provider describe a refund, so that a restored shop that has lost the refund can read it there. */

type OwnRefund = Pick<Refund, 'id' | 'replaces' | 'still_send'> & { lines: readonly LineRow[] };

/** The metadata of one of our refunds. They identify the refund if the response to the request is lost. */
export const writeMetadata = (
  shopId: string,
  { id, replaces, still_send, lines }: OwnRefund,
): Record<string, string> => ({
  shop: shopId,
  refund: id,
  ...(replaces === null ? {} : { replaces }),
  ...(still_send === 1 ? { stillSend: 'yes' } : {}),
  ...writeLines(
    lines.map(({ subject_id, amount, quantity, restock }) => ({
      order: subject_id,
      amount,
      quantity: quantity ?? 0,
      restock,
    })),
  ),
});

/** The metadata that this shop, or one of its admins, has written; undefined for a refund of another shop. */
export const readMetadata = (
  metadata: Record<string, string> | null,
  shopId: string,
): Record<string, string> | undefined => (metadata?.shop === shopId ? metadata : undefined);

type Line = { order: string; amount: number; quantity: number; restock: number };
/** An admin who refunds in the provider's dashboard may enter only an order's id. */
type ReadLine = { order: string } & { [field in Exclude<keyof Line, 'order'>]: number | undefined };

/** Stripe allows 50 keys with values of 500 characters: https://docs.stripe.com/api/metadata */
const linesPerValue = 5;

/**
 * Writes `order: {id} {amount} {quantity} {restock}`, with the amount in minor units, and a charge's id like that of an order. Further orders are separated by commas, and
 * continue in `order_2`, `order_3` and so on.
 */
function writeLines(lines: readonly Line[]): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (let from = 0; from < lines.length; from += linesPerValue) {
    const texts = lines
      .slice(from, from + linesPerValue)
      .map(({ order, amount, quantity, restock }) => `${order} ${amount} ${quantity} ${restock}`);
    metadata[from === 0 ? 'order' : `order_${from / linesPerValue + 1}`] = texts.join(',');
  }
  return metadata;
}

/** Reads what `writeLines` has written; undefined if the metadata name no order. */
export function readLines(metadata: Record<string, string>): ReadLine[] | undefined {
  if (!metadata.order) return undefined;
  const values = [metadata.order];
  for (let index = 2; metadata[`order_${index}`]; index++) values.push(metadata[`order_${index}`] ?? '');
  return values
    .join(',')
    .split(',')
    .map((text) => {
      const [order = '', ...numbers] = text.trim().split(/\s+/);
      const [amount, quantity, restock] = numbers.map(toNumber);
      return { order, amount, quantity, restock };
    });
}

const toNumber = (text: string): number | undefined => (/^\d{1,12}$/.test(text) ? Number(text) : undefined);
