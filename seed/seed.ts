import { uuidv7 } from 'uuidv7';
import type { Database } from '../server/database/database.ts';
import { storeImage } from '../server/shop/images/upload.ts';
import { insertProducts } from '../server/shop/products/stock/record.ts';
import { catalogue } from './catalogue.ts';
import { readEncodedFiles } from './encoded-files.ts';
import { reviews } from './reviews.ts';

/** Adds the demo catalogue unless it was added before. Returns whether this call added it. */
export async function seedCatalogue(
  database: Database,
  imageFolder: string,
  userId: string | null,
): Promise<boolean> {
  const images = await storeImages(
    database,
    imageFolder,
    catalogue.map(({ drawing }) => drawing),
  );
  return seedOnce(database, 'catalogue planted', async (tx) => {
    const products = catalogue.map(({ name, category, price, minimum, available, description, drawing }) => ({
      id: uuidv7(),
      name,
      category,
      price,
      minimum,
      available,
      description,
      image: images.get(drawing) ?? '',
      user_id: userId,
      created_at: Date.now(),
    }));
    await insertProducts(tx, products, { actor_id: null, actor: '' });
  });
}

const reviewIntervalMs = 5 * 24 * 60 * 60 * 1000;

/** Adds the demo reviews of the catalogue's tools, dated five days apart, unless they were added before. */
export async function seedReviews(database: Database, imageFolder: string): Promise<boolean> {
  const images = await storeImages(
    database,
    imageFolder,
    reviews.map(({ drawing }) => drawing),
  );
  return seedOnce(database, 'reviews planted', async (tx) => {
    const names = new Map(catalogue.map(({ slug, name }) => [slug, name]));
    const products = await tx.selectFrom('product').select(['id', 'name']).execute();
    const ids = new Map(products.map(({ id, name }) => [name, id]));
    await tx
      .insertInto('review')
      .values(
        reviews.map(({ name, tool, rating, text, drawing }, at) => ({
          id: uuidv7(),
          name,
          rating,
          text,
          image: images.get(drawing) ?? '',
          created_at: Date.now() - (reviews.length - at) * reviewIntervalMs,
          product_id: ids.get(names.get(tool) ?? '') ?? null,
          product_name: names.get(tool) ?? null,
        })),
      )
      .execute();
  });
}

/** Stores the images and returns their URLs by drawing name. */
async function storeImages(
  database: Database,
  folder: string,
  names: string[],
): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  for (const name of new Set(names))
    images.set(name, await storeImage(database, await readEncodedFiles(folder, name), null));
  return images;
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
