import { sql } from 'kysely';
import { invalid } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import { findUnknownImages } from '../images/upload.ts';
import type { Shop } from '../shop.ts';

/** A column for queries of `product`: the images after the first, separated by spaces; null if there are none. */
export const furtherImages = sql<string | null>`(
  select string_agg(url, ' ' order by position) from further_image where product_id = product.id)`;

type Images = { image: string; further_images: string | null };

/** The URLs of a product's images, in order. */
export const listImages = ({ image, further_images }: Images): string[] => [
  image,
  ...(further_images?.split(' ') ?? []),
];

/** The columns of a product with these images, of which there is at least one. */
export const toImageColumns = ([image = '', ...others]: string[]): Images => ({
  image,
  further_images: others.length === 0 ? null : others.join(' '),
});

/**
 * Throws 422 if `after` adds an image to a product that is not allowed. Resets the age of all images in `after`, so that none is
 * deleted as unused meanwhile.
 */
export async function checkImages({ config }: Shop, tx: Tx, before: Images, after: Images): Promise<void> {
  const images = listImages(after);
  const unknown = await findUnknownImages(config, tx, images);
  const current = new Set(listImages(before));
  const at = images.findIndex((url) => unknown.has(url) && !current.has(url));
  if (at >= 0)
    throw invalid('images', `Image ${at + 1} must be one that was uploaded here: choose the image again`);
}

type Row = { id: string; further_images?: string | null };

/** Inserts the further images of new products. */
export async function insertFurtherImages(tx: Tx, products: readonly Row[]): Promise<void> {
  const rows = products.flatMap(({ id, further_images }) =>
    (further_images?.split(' ') ?? []).map((url, index) => ({ product_id: id, position: index + 1, url })),
  );
  if (rows.length > 0) await tx.insertInto('further_image').values(rows).execute();
}

/** Replaces the further images of products, which the transaction has locked. */
export async function replaceFurtherImages(tx: Tx, products: readonly Row[]): Promise<void> {
  const ids = products.map(({ id }) => id);
  await tx.deleteFrom('further_image').where('product_id', 'in', ids).execute();
  await insertFurtherImages(tx, products);
}
