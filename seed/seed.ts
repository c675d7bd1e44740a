import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import type { Database } from '../server/database/database.ts';
import { insertImage } from '../server/shop/images/upload.ts';
import { shopDetailsSetting } from '../server/shop/printing/shop-details.ts';
import { insertProducts } from '../server/shop/products/stock/record.ts';
import { catalogue, listFurtherImages } from './catalogue.ts';
import { listImageWidths } from './image-widths.ts';
import { reviews } from './reviews.ts';

/**
 * The folder of the images `{name}-{width}.webp`, encoded like uploaded images. The path starts at the package's root, because the
 * bundle lies elsewhere.
 */
const folder = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'seed/images');

/** Adds the demo catalogue unless it was added before. Returns whether this call added it. */
export async function seedCatalogue(database: Database, userId: string | null): Promise<boolean> {
  const images = await storeImages(
    database,
    catalogue.flatMap(({ image }) => [image, ...listFurtherImages(image)]),
  );
  return seedOnce(database, 'catalogue planted', async (tx) => {
    const products = catalogue.map(({ slug: _, facts, image, ...tool }) => ({
      ...tool,
      id: uuidv7(),
      facts: facts.join('\n'),
      image: images.get(image) ?? '',
      further_images: listFurtherImages(image)
        .map((name) => images.get(name) ?? '')
        .join(' '),
      user_id: userId,
      created_at: Date.now(),
    }));
    await insertProducts(tx, products, { actor_id: null, actor: '' });
  });
}

const reviewIntervalMs = 5 * 24 * 60 * 60 * 1000;

/** Adds the demo reviews of the catalogue's tools, dated five days apart, unless they were added before. */
export async function seedReviews(database: Database): Promise<boolean> {
  const images = await storeImages(
    database,
    reviews.map(({ image }) => image),
  );
  return seedOnce(database, 'reviews planted', async (tx) => {
    const names = new Map(catalogue.map(({ slug, name }) => [slug, name]));
    const products = await tx.selectFrom('product').select(['id', 'name']).execute();
    const ids = new Map(products.map(({ id, name }) => [name, id]));
    await tx
      .insertInto('review')
      .values(
        reviews.map(({ name, tool, rating, text, image }, index) => ({
          id: uuidv7(),
          name,
          rating,
          text,
          image: images.get(image) ?? '',
          created_at: Date.now() - (reviews.length - index) * reviewIntervalMs,
          product_id: ids.get(names.get(tool) ?? '') ?? null,
          product_name: names.get(tool) ?? null,
        })),
      )
      .execute();
  });
}

/** Enters two examples of the search's synonyms, unless an admin has edited the shop's details. */
export async function seedSynonyms({ db }: Database): Promise<void> {
  const value = JSON.stringify({ version: 0, synonyms: 'magnifier = loupe\nmallet = riveting hammer' });
  await db
    .insertInto('setting')
    .values({ name: shopDetailsSetting, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Stores the images, in one transaction because that is faster, and returns their URLs by name. */
function storeImages(database: Database, names: string[]): Promise<Map<string, string>> {
  return database.transaction(async (tx) => {
    const images = new Map<string, string>();
    for (const name of new Set(names)) {
      const files = listImageWidths(name).map((width) => readFile(join(folder, `${name}-${width}.webp`)));
      images.set(name, await insertImage(tx, await Promise.all(files), null));
    }
    return images;
  });
}

type Work = Parameters<Database['transaction']>[0];

/** Runs `work` once per database, even if several processes start at the same time or one is killed midway. */
function seedOnce(
  database: Database,
  name: string,
  work: (tx: Parameters<Work>[0]) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const first = await tx
      .insertInto('setting')
      .values({ name, value: new Date().toISOString() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    if (first.numInsertedOrUpdatedRows !== 1n) return false;
    await work(tx);
    return true;
  });
}
