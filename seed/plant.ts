import { uuidv7 } from 'uuidv7';
import type { Database } from '../server/database/database.ts';
import { readEncoded } from '../server/shop/images/encoded-files.ts';
import { storePicture } from '../server/shop/images/pictures.ts';
import { catalogue } from './catalogue.ts';
import { reviews } from './reviews.ts';

/** Adds the demo catalogue in the name of `email`; nothing where it was added before. True where it was added by this. */
export async function plantCatalogue(database: Database, pictures: string, email: string): Promise<boolean> {
  const images = await plantPictures(
    database,
    pictures,
    catalogue.map(({ drawing }) => drawing),
  );
  return once(database, 'catalogue planted', async (tx) => {
    await tx
      .insertInto('product')
      .values(
        catalogue.map(({ name, price, minimum, available, description, drawing }) => ({
          id: uuidv7(),
          name,
          price,
          minimum,
          available,
          description,
          image: images.get(drawing) ?? '',
          email,
          created_at: Date.now(),
        })),
      )
      .execute();
  });
}

/** Adds the demo reviews, a few days apart. */
export async function plantReviews(database: Database, pictures: string): Promise<boolean> {
  const images = await plantPictures(
    database,
    pictures,
    reviews.map(({ picture }) => picture),
  );
  return once(database, 'reviews planted', async (tx) => {
    await tx
      .insertInto('review')
      .values(
        reviews.map(({ name, email, rating, text, picture }, at) => ({
          id: uuidv7(),
          name,
          email,
          rating,
          text,
          image: images.get(picture) ?? '',
          created_at: Date.now() - (reviews.length - at) * 5 * 86_400_000,
        })),
      )
      .execute();
  });
}

/** The address of each picture by its drawing's name. */
async function plantPictures(
  database: Database,
  folder: string,
  names: string[],
): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  for (const name of new Set(names)) {
    const encoded = await readEncoded(folder, name);
    await storePicture(database, encoded, '');
    images.set(name, encoded.url);
  }
  return images;
}

type Work = Parameters<Database['transaction']>[0];

/** Of processes that start together one plants; killed in the middle, none has. */
function once(
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
