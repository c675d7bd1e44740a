import { sql } from 'kysely';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { purchasePages } from '../../../contract/page-addresses.ts';
import { formatPrice } from '../../config/currency.ts';
import type { Tx } from '../../database/schema.ts';
import { addMail, type MailRow } from '../../mail/outbox.ts';
import { type LetterText, linkImage } from '../mail/letters.ts';
import type { Shop } from '../shop.ts';
import { buildStopUrl, computeStopToken, toMailAbout } from './back-in-stock.ts';
import { findProduct, isArchived, isSoldOut } from './products.ts';

/**
 * Messages per run. A delivery for a hundred thousand waiting customers must not hold up receipts in the outbox, and the pieces
 * may be sold before the last of these customers could order.
 */
const maxMessages = 500;
/** Products per run. Checking them takes some milliseconds. */
const maxProducts = 5000;

type WaitedFor = { product_id: string; existing: string | null; is_back: number | boolean | null };

/**
 * Adds a message for each user who is waiting for a product that is back in stock, and ends their requests. The stock is read here
 * instead of where it rises. This covers every way in which stock can rise and slows none of them down. Each run checks one batch
 * of products, after the id `after`. Returns the `after` of the next run, which is '' at the end.
 */
export async function queueBackInStock(shop: Shop, after = ''): Promise<string> {
  const { rows } = await sql<WaitedFor>`
    with recursive step (product_id) as (
      select min(product_id) from back_in_stock where product_id > ${after}
      union all
      select (select min(product_id) from back_in_stock where product_id > step.product_id) from step
      where step.product_id is not null
    )
    select waited.product_id, product.id as existing,
      product.archived_at is null and product.available >= product.minimum as is_back
    from (select product_id from step where product_id is not null limit ${sql.lit(maxProducts)}) as waited
    left join product on product.id = waited.product_id
    order by waited.product_id`.execute(shop.database.db);
  const done = rows
    .filter(({ existing, is_back }) => existing === null || (is_back && shop.sendsMail))
    .slice(0, maxMessages);
  // Every product gets its share, so that a product with many waiting customers does not hold up the others.
  const share = Math.ceil(maxMessages / done.length);
  for (const { product_id, existing } of done)
    await shop.database.transaction((tx) => endRequests(shop, tx, product_id, share, existing !== null));
  const last = done.length === maxMessages ? done.at(-1) : rows[maxProducts - 1];
  return last?.product_id ?? '';
}

/** Ends the requests of the users who have waited longest, at most `limit`, and adds a message for each confirmed address. */
async function endRequests(
  shop: Shop,
  tx: Tx,
  productId: string,
  limit: number,
  isBack: boolean,
): Promise<void> {
  const ended = await tx
    .deleteFrom('back_in_stock')
    .where('product_id', '=', productId)
    .where('user_id', 'in', ({ selectFrom }) =>
      selectFrom('back_in_stock as first')
        .select('first.user_id')
        .where('first.product_id', '=', productId)
        .orderBy('first.requested_at')
        .orderBy('first.user_id')
        .limit(limit),
    )
    .returning('user_id')
    .execute();
  if (ended.length === 0 || !isBack) return;
  const users = await tx
    .selectFrom('user')
    .select(['id', 'emailVerified'])
    .where(
      'id',
      'in',
      ended.map(({ user_id }) => user_id),
    )
    .execute();
  const confirmed = users.filter(({ emailVerified }) => emailVerified);
  await addMail(
    tx,
    confirmed.map(({ id }) => ({
      kind: 'back in stock',
      userId: id,
      about: toMailAbout(computeStopToken(shop, id), productId),
    })),
  );
}

/**
 * Returns undefined if there is nothing to report. If the product has been sold out again since the message was added, the
 * user keeps waiting.
 */
export async function writeBackInStock(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { db } = shop.database;
  const product = await findProduct(db, mail.about.split(' ').at(-1) ?? '');
  const userId = mail.user_id;
  if (!product || userId === null || isArchived(product)) return undefined;
  const stopToken = computeStopToken(shop, userId);
  if (isSoldOut(product)) {
    await db
      .insertInto('back_in_stock')
      .values({
        user_id: userId,
        product_id: product.id,
        requested_at: mail.created_at,
        stop_token: stopToken,
      })
      .onConflict((conflict) => conflict.columns(['user_id', 'product_id']).doNothing())
      .execute();
    return undefined;
  }
  // A request from before a change of AUTH_SECRET, or from a restored backup, has another token.
  await db
    .updateTable('back_in_stock')
    .set({ stop_token: stopToken })
    .where('user_id', '=', userId)
    .where('stop_token', '<>', stopToken)
    .execute();
  const { id, name, minimum } = product;
  const { others } = await db
    .selectFrom('back_in_stock')
    .select((eb) => eb.fn.countAll<number>().as('others'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const stopUrl = buildStopUrl(shop, stopToken);
  return {
    subject: `Back in stock: ${name}`,
    preview: 'You asked us to tell you.',
    heading: 'Back in stock',
    blocks: [
      {
        block: 'paragraph',
        text: 'You asked us to tell you when this tool is back. We can’t reserve it for you, so it may sell out again.',
      },
      {
        block: 'lines',
        lines: [
          {
            text: name,
            ...(minimum > 1 ? { note: `Minimum order: ${minimum} pieces` } : {}),
            amount: formatPrice(shop, product.price),
            ...linkImage(shop, product.image),
          },
        ],
        totals: [],
      },
      { block: 'button', label: 'View the tool', url: `${shop.config.origins[0]}${purchasePages}/${id}` },
      {
        block: 'facts',
        facts: [
          ...(others > 0
            ? [{ label: 'Still waiting for', value: formatQuantity(others, 'other tool') }]
            : []),
          { label: 'Messages like this', value: 'Unsubscribe from all', url: stopUrl },
        ],
      },
    ],
    unsubscribeUrl: stopUrl,
    reason:
      'You’re receiving this email because you asked for it on the tool’s page. We won’t write to you about it again.',
  };
}
