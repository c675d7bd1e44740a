import { describe, expect, test } from 'vitest';
import { maxImages } from '../../../contract/catalogue/product-edit.ts';
import { engines } from '../../../tests/support/database.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { deleteUnusedImages } from '../images/stored-images.ts';
import { insertImage } from '../images/upload.ts';

const day = 24 * 60 * 60 * 1000;

/** A product, an admin, and images that the shop has stored. */
async function open(shop: TestShop, count = maxImages) {
  const admin = await shop.admin();
  const product = await shop.addProduct();
  const client = shop.client(admin);
  const params = { id: product._id };
  const images: string[] = [];
  for (let n = 0; n < count; n++) {
    const webp = [240, 480, 960].map((width) => Buffer.from(`${n} ${width}`));
    images.push(await shop.database.transaction((tx) => insertImage(tx, webp, admin.email)));
  }
  return {
    admin,
    product,
    client,
    images,
    read: () => client.call('getProduct', { params }),
    edit: (version: number, urls: string[]) =>
      client.call('editProduct', { params, body: { version, images: urls } }),
    async reject(urls: unknown) {
      const body = { version: 1, images: urls };
      const response = await sendCall(shop, 'editProduct', { params, body, headers: tokenHeaders(admin) });
      const { status, errors } = await readProblem(response);
      return [status, ...(errors ?? []).map(({ field, message }) => `${field}: ${message}`)];
    },
    async importFile(lines: string) {
      const response = await shop.fetch(
        new Request(`${shop.origin}/api/products/import`, {
          method: 'POST',
          headers: { ...tokenHeaders(admin), 'content-type': 'text/csv' },
          body: lines,
        }),
      );
      expect(response.status).toBe(200);
    },
  };
}

describe.each(engines)('on %s', (engine) => {
  test('a product has up to 8 images in their order, and every list and the basket show them', async () => {
    await using shop = await startShop({ engine });
    const { product, client, images, read, edit } = await open(shop);
    expect(await edit(1, images)).toEqual({ modifiedCount: 1, version: 2 });
    const shown = { img: images[0], images };
    expect(await read()).toMatchObject(shown);
    expect(await client.call('listProducts', {})).toMatchObject([shown]);
    expect(await client.call('listProducts', { query: { q: 'gauge' } })).toMatchObject([shown]);
    await client.call('setBasketLine', { params: { id: product._id }, body: { quantity: 1 } });
    expect((await client.call('getBasket', {})).lines).toMatchObject([{ product: shown }]);

    // Repeating an edit changes nothing; reordering does.
    expect(await edit(1, images)).toEqual({ modifiedCount: 0, version: 2 });
    const reversed = images.toReversed();
    expect(await edit(2, reversed)).toEqual({ modifiedCount: 1, version: 3 });
    expect(await read()).toMatchObject({ img: reversed[0], images: reversed });
    const two = reversed.slice(0, 2);
    await edit(3, two);
    expect((await read()).images).toEqual(two);
    const [entry] = await client.call('listAudit', { query: { target: product._id } });
    expect(entry?.details).toBe(`images: ${two.join(' ')} (was ${reversed.join(' ')})`);

    await client.call('deleteProduct', { params: { id: product._id } });
    expect(await shop.database.db.selectFrom('further_image').selectAll().execute()).toEqual([]);
  });

  test('too many, repeated, unknown and external images are rejected', async () => {
    await using shop = await startShop({ engine });
    const { product, images, read, reject } = await open(shop);
    const [first = ''] = images;
    for (const [urls, message] of [
      [[product.img, ...images], 'A product has at most 8 images'],
      [[first, first], 'Two images are the same: remove one'],
      [[first, ''], 'Image is Required'],
      [[first, `${first} ${product.img}`], 'Image must be an address without spaces'],
      [first, 'Images must be a list'],
      [
        [first, 'https://images.example/a.png'],
        'Image 2 must be one that was uploaded here: choose the image again',
      ],
      [
        [first, product.img, `/images/${'0'.repeat(64)}-960.webp`],
        expect.stringMatching(/^Image 3 must be one/),
      ],
    ] as const) {
      const [status, error] = await reject(urls);
      expect([urls, status, String(error).replace(/^images(\.\d)?: /, '')]).toEqual([urls, 422, message]);
    }
    expect(await read()).toMatchObject({ images: [product.img], version: 1 });
  });

  test('of two admins who edit the same version, the second is rejected with the current images', async () => {
    await using shop = await startShop({ engine });
    const { product, images, edit, read } = await open(shop, 3);
    await edit(1, images);
    const { status, type, data } = await catchProblem(edit(1, [product.img]));
    expect([status, type]).toEqual([409, 'urn:problem:edit_conflict']);
    expect(data).toMatchObject({ images: images.map((img) => ({ img })), version: 2 });
    expect((await read()).images).toEqual(images);
    // Of simultaneous edits, one is saved as a whole.
    const orders = [images.toReversed(), images.slice(1), [...images, product.img]];
    const results = await Promise.allSettled(orders.map((urls) => edit(2, urls)));
    const saved = orders.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(saved).toEqual([(await read()).images]);
  });

  test('further images of a product are not deleted as unused', async () => {
    await using shop = await startShop({ engine });
    const { product, images, edit } = await open(shop, 4);
    const [unused = '', ...used] = images;
    await edit(1, [product.img, ...used]);
    await deleteUnusedImages(shop.database, Date.now() + 2 * day);
    for (const url of [product.img, ...used]) expect((await shop.send(url)).status).toBe(200);
    expect((await shop.send(unused)).status).toBe(404);
  });

  test('an import replaces the first image and keeps the others, or replaces the whole list', async () => {
    await using shop = await startShop({ engine });
    const { product, images, edit, read, importFile } = await open(shop, 3);
    const [a = '', b = '', c = ''] = images;
    await edit(1, images);
    const importImages = (cell: string) => importFile(`id,images\n${product._id},${cell}\n`);
    await importImages(a);
    expect(await read()).toMatchObject({ images, version: 2 });
    await importImages(product.img);
    expect((await read()).images).toEqual([product.img, b, c]);
    await importImages(c);
    expect((await read()).images).toEqual([c, b]);
    await importImages(`${a} ${c}`);
    expect((await read()).images).toEqual([a, c]);
    await importFile(`name,price,o_quantity,a_quantity,description,images\nBroach,7,1,3,Cuts.,${b} ${a}\n`);
    const [, added] = await shop.client().call('listProducts', {});
    expect(added?.images).toEqual([b, a]);
    const query = { format: 'csv' };
    const headers = tokenHeaders(await shop.admin());
    const exported = await (await sendCall(shop, 'listProducts', { query, headers })).text();
    expect(exported).toContain(`,${a} ${c},`);
    expect(exported).toContain(`,${b} ${a},`);
  });

  test('a list of products takes one statement, however many images they have', async () => {
    await using shop = await startShop({ engine });
    const { images, edit } = await open(shop);
    await edit(1, images);
    for (let n = 0; n < 5; n++) await shop.addProduct();
    const recorded = await recordStatements(() => shop.client().call('listProducts', {}));
    expect(recorded.result.map((row) => row.images.length)).toEqual([8, 1, 1, 1, 1, 1]);
    expect(recorded.statementsOf(shop.database.db)).toHaveLength(1);
  });
});
