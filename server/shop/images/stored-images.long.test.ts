import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { type Database, openDatabase } from '../../database/database.ts';
import { parseImagePath } from './image-paths.ts';
import { deleteImage, deleteUnusedImages, serveImage } from './stored-images.ts';
import { findUnknownImages, insertImage } from './upload.ts';

const hour = 60 * 60 * 1000;
const now = Date.UTC(2026, 0, 1);

const makeImage = (text: string) => [240, 480, 960].map((width) => Buffer.from(`${text} ${width}`));

/** The settings of a shop that stores its images itself. */
const own = { imageHost: undefined };

const storeImage = (database: Database, webp: Uint8Array[], userId: string, time?: number) =>
  database.transaction((tx) => insertImage(tx, webp, userId, time));

const hashOf = (url: string) => parseImagePath(url)?.hash;

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
    .values({ ...product, created_at: 0 })
    .execute();
}

async function addReview({ db }: Database, image: string): Promise<void> {
  const review = { id: image, name: 'A', user_id: null, rating: 5, text: '', image, created_at: 0 };
  await db.insertInto('review').values(review).execute();
}

describe.each(engines)('images on %s', (engine) => {
  let database: Database;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    const made = await makeDatabase(engine, 'migrated');
    drop = made.drop;
    database = await openDatabase(made.place);
  });
  afterEach(async () => {
    await database.close();
    await drop();
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    serveImage(database, new Request(`http://localhost:3000${path}`, { method, headers }), path);

  test('an image is stored in every width, byte for byte, and named by the hash of the widest', async () => {
    const webp = makeImage('plain');
    const url = await storeImage(database, webp, 'tom', now);
    const hash = createHash('sha256').update('plain 960').digest('hex');
    expect(url).toBe(`/images/${hash}-960.webp`);
    for (const [index, width] of [240, 480, 960].entries()) {
      const response = await get(`/images/${hash}-${width}.webp`);
      expect(response.headers.get('content-type')).toBe('image/webp');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(webp[index]);
    }
    expect((await get(`/images/${hash}-100.webp`)).status).toBe(404);
    await expect(storeImage(database, webp.slice(1), 'tom')).rejects.toThrow('three or four widths');
  });

  test('an image without a file of 1,600 px is served at 960 px instead', async () => {
    const [narrow, wide] = [makeImage('narrow'), [...makeImage('wide'), Buffer.from('wide 1600')]];
    const at1600 = (url: string, etag = '') => get(url.replace('-960', '-1600'), { 'if-none-match': etag });
    const url = await storeImage(database, narrow, 'tom');
    const response = await at1600(url);
    expect(await response.text()).toBe('narrow 960');
    expect((await at1600(url, response.headers.get('etag') ?? '')).status).toBe(304);
    expect(await (await at1600(await storeImage(database, wide, 'tom'))).text()).toBe('wide 1600');
    expect((await at1600(`/images/${'0'.repeat(64)}-960.webp`)).status).toBe(404);
  });

  test('GET returns 304 for a known ETag and 404 for an unknown image, HEAD returns no body', async () => {
    const url = await storeImage(database, makeImage('served'), 'tom');
    const etag = (await get(url)).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get(url, { 'if-none-match': known });
      expect(response.status).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
    }
    expect((await get(url, { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await get(url, {}, 'HEAD');
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await head.text()).toBe('');
    for (const path of [
      url.replace('960', '961'),
      url.replace(/[0-9a-f]-/, '-'),
      '/images/',
      '/images/../etc',
    ]) {
      const response = await get(path, { 'if-none-match': '*' });
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
  });

  test('simultaneous uploads of the same image store it once, and it belongs to none of the users', async () => {
    const people = ['tom', 'ann', 'eve'];
    await Promise.all(people.map((id) => storeImage(database, makeImage('same'), id, now)));
    const owners = async () =>
      (await database.db.selectFrom('image').select('user_id').execute()).map(({ user_id }) => user_id);
    expect(await owners()).toEqual([null, null, null]);
    for (const _ of [1, 2]) await storeImage(database, makeImage('own'), 'tom', now);
    expect((await owners()).sort()).toEqual([null, null, null, 'tom', 'tom', 'tom']);
  });

  test('findUnknownImages accepts only paths of stored images, and https URLs of a hosted service', async () => {
    const url = await storeImage(database, makeImage('own'), 'tom');
    const hash = hashOf(url) ?? '';
    const hosted = `https://example.com${url}`;
    const others = [
      url.replaceAll(/[0-9a-f]{64}/g, '0'.repeat(64)),
      hosted,
      `/${url}`,
      `${url}?`,
      `${url}\n`,
      '',
      hash,
    ];
    const urls = [url, `/images/${hash}-240.webp`, ...others];
    expect(await findUnknownImages(own, database.db, urls)).toEqual(new Set(others));
    const imageHost = { url: 'https://example.com', key: 'k' };
    const unknown = await database.transaction((tx) => findUnknownImages({ imageHost }, tx, [url, hosted]));
    expect(unknown).toEqual(new Set());
  });

  test('only images unused for 24 hours are deleted', async () => {
    const old = now - 25 * hour;
    const store = (text: string, at: number) => storeImage(database, makeImage(text), 'tom', at);
    const used = {
      product: await store('product', old),
      review: await store('review', old),
      narrow: await store('narrow', old),
    };
    await addProduct(database, used.product);
    await addReview(database, used.review);
    await addReview(database, used.narrow.replace('960', '240'));
    await store('reuploaded', old);
    const fresh = {
      young: await store('young', now - 23 * hour),
      reuploaded: await storeImage(database, makeImage('reuploaded'), 'ann', now - hour),
      touched: await store('touched', old),
    };
    await findUnknownImages(own, database.db, [fresh.touched]);
    await store('unused', old);

    await deleteUnusedImages(database, now);
    const rows = await database.db.selectFrom('image').select('hash').execute();
    const expected = Object.values({ ...used, ...fresh }).flatMap((url) => Array(3).fill(hashOf(url)));
    expect(rows.map(({ hash }) => hash).sort()).toEqual(expected.sort());
  });

  test('unused images are deleted in batches, each continuing after the last', async () => {
    const old = now - 25 * hour;
    const rows = Array.from({ length: 1600 }, (_, index) => ({
      id: `${index}`,
      hash: `${index}`.padStart(64, '0'),
      width: 240,
      type: 'image/webp',
      bytes: new Uint8Array(1),
      created_at: old,
    }));
    await database.db.insertInto('image').values(rows).execute();
    const count = async () => (await database.db.selectFrom('image').select('id').execute()).length;
    const after = await deleteUnusedImages(database, now);
    expect([after, await count()]).toEqual([rows[1499]?.hash, 100]);
    expect([await deleteUnusedImages(database, now, after), await count()]).toEqual(['', 0]);
  });

  test('only an admin can delete an image, in every width, even if it is used', async () => {
    const url = await storeImage(database, makeImage('gone'), 'tom', now);
    await addProduct(database, url);
    const user = { id: 'a', email: 'a@example.com', role: undefined };
    await expect(deleteImage(database, url, user)).rejects.toMatchObject({ code: 'not_allowed' });
    expect((await get(url)).status).toBe(200);
    const admin = { id: 'admin', email: 'admin@example.com', role: 'admin' } as const;
    expect(await (await deleteImage(database, url, admin)).json()).toEqual({ deletedCount: 1 });
    expect(await database.db.selectFrom('image').select('id').execute()).toEqual([]);
    expect((await get(url)).status).toBe(404);
    expect((await get(url, { 'if-none-match': '*' })).status).toBe(404);
    await expect(deleteImage(database, url, admin)).rejects.toMatchObject({ code: 'not_found' });
    await expect(deleteImage(database, '/images/x', admin)).rejects.toMatchObject({ code: 'not_found' });
  });
});
