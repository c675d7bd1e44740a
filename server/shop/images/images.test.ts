import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { type Database, openDatabase } from '../../database/database.ts';
import { nameByHash } from './addresses.ts';
import { deleteImage, deleteUnusedImages, findImage, storeImage, touchImage } from './images.ts';

const hour = 60 * 60 * 1000;
const now = Date.UTC(2026, 0, 1);

function makeImage(text: string) {
  return nameByHash([240, 480, 960].map((width) => new TextEncoder().encode(`${text} ${width}`)));
}

async function addProduct({ db }: Database, image: string): Promise<void> {
  const product = {
    id: image,
    name: 'Tweezers',
    price: 100,
    image,
    description: '',
    minimum: 1,
    available: 1,
  };
  await db
    .insertInto('product')
    .values({ ...product, email: 'a@example.com', created_at: 0 })
    .execute();
}

async function addReview({ db }: Database, image: string): Promise<void> {
  const review = { id: image, name: 'A', email: 'a@example.com', rating: 5, text: '', image, created_at: 0 };
  await db.insertInto('review').values(review).execute();
}

describe.each(engines)('images on %s', (engine) => {
  let database: Database;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    const made = await makeDatabase(engine);
    drop = made.drop;
    database = await openDatabase(made.place);
  });
  afterEach(async () => {
    await database.close();
    await drop();
  });

  test('an image is stored in every width, byte for byte', async () => {
    const stored = makeImage('plain');
    await storeImage(database, stored, 'a@example.com', now);
    for (const { id, bytes } of stored.widths) {
      const found = await findImage(database, id);
      expect(found?.type).toBe('image/webp');
      expect(new Uint8Array(found?.bytes ?? [])).toEqual(bytes);
    }
    expect(await findImage(database, `${stored.hash}-100`)).toBeUndefined();
  });

  test('simultaneous uploads of the same image store it once', async () => {
    const people = ['a@example.com', 'b@example.com', 'c@example.com'];
    await Promise.all(people.map((email) => storeImage(database, makeImage('same'), email, now)));
    const rows = await database.db.selectFrom('picture').select('id').execute();
    expect(rows).toHaveLength(3);
  });

  test('touchImage accepts only paths of stored images', async () => {
    const { url, hash, widths } = makeImage('own');
    await storeImage(database, { url, hash, widths }, 'a@example.com');
    expect(await touchImage(database, url)).toBe(true);
    expect(await touchImage(database, `/images/${hash}-240.webp`)).toBe(true);
    expect(await database.transaction((tx) => touchImage({ db: tx }, url))).toBe(true);
    const others = [
      makeImage('other').url,
      `https://example.com${url}`,
      `/${url}`,
      `${url}?`,
      `${url}\n`,
      '',
      hash,
    ];
    for (const other of others) expect(await touchImage(database, other)).toBe(false);
  });

  test('only images unused for 24 hours are deleted', async () => {
    const old = now - 25 * hour;
    const used = { product: makeImage('product'), review: makeImage('review'), narrow: makeImage('narrow') };
    for (const image of Object.values(used)) await storeImage(database, image, 'a@example.com', old);
    await addProduct(database, used.product.url);
    await addReview(database, used.review.url);
    await addReview(database, used.narrow.url.replace('960', '240'));
    const fresh = {
      young: makeImage('young'),
      reuploaded: makeImage('reuploaded'),
      touched: makeImage('touched'),
    };
    await storeImage(database, fresh.young, 'a@example.com', now - 23 * hour);
    await storeImage(database, fresh.reuploaded, 'a@example.com', old);
    await storeImage(database, fresh.reuploaded, 'b@example.com', now - hour);
    await storeImage(database, fresh.touched, 'a@example.com', old);
    expect(await touchImage(database, fresh.touched.url, now - hour)).toBe(true);
    await storeImage(database, makeImage('unused'), 'a@example.com', old);

    await deleteUnusedImages(database, now);
    const rows = await database.db.selectFrom('picture').select('hash').execute();
    const expected = Object.values({ ...used, ...fresh }).flatMap(({ hash }) => [hash, hash, hash]);
    expect(rows.map(({ hash }) => hash).sort()).toEqual(expected.sort());
  });

  test('unused images are deleted in batches, each continuing after the last', async () => {
    const old = now - 25 * hour;
    const rows = Array.from({ length: 1600 }, (_, at) => ({
      ...{ id: `${at}`, hash: `${at}`.padStart(64, '0'), width: 240, type: 'image/webp' },
      ...{ bytes: new Uint8Array(1), email: '', created_at: old },
    }));
    await database.db.insertInto('picture').values(rows).execute();
    const count = async () => (await database.db.selectFrom('picture').select('id').execute()).length;
    const after = await deleteUnusedImages(database, now);
    expect([after, await count()]).toEqual([rows[1499]?.hash, 100]);
    expect([await deleteUnusedImages(database, now, after), await count()]).toEqual(['', 0]);
  });

  test('an image is deleted in every width, even if it is used', async () => {
    const { hash, url } = makeImage('gone');
    await storeImage(database, makeImage('gone'), 'a@example.com', now);
    await addProduct(database, url);
    expect(await deleteImage(database, hash, 'a@example.com')).toBe(1);
    expect(await deleteImage(database, hash, 'a@example.com')).toBe(0);
    expect(await database.db.selectFrom('picture').select('id').execute()).toEqual([]);
  });
});
