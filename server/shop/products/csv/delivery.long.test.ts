import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { ImportReport } from '../../../../contract/catalogue/product-import.ts';
import type { Product } from '../../../../contract/catalogue/products.ts';
import { auditBooks, readBooks } from '../../../../tests/support/auditor.ts';
import { engines } from '../../../../tests/support/database.ts';
import { placePurchase } from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { waitUntil } from '../../../../tests/support/wait.ts';

/** An admin who imports deliveries. */
async function open(shop: TestShop) {
  const client = shop.client(await shop.admin());
  const importFile = (text: string, options = {}) =>
    client.call('importProducts', { body: new Blob([text]), ...options });
  return {
    importFile,
    preview: (text: string) => importFile(text, { query: { dry: '1' } }),
    get: (id: string) => client.call('getProduct', { params: { id } }),
    listAudit: () => client.call('listAudit', {}),
    /** Reason, change, level and admin of each row, oldest first. */
    readHistory: async (id: string) =>
      (await client.call('listProductStock', { params: { id } }))
        .map(({ reason, change, level, who }) => [reason, change, level, who])
        .reverse(),
  };
}

/** Adds more products than one statement of an import takes. */
async function addProducts(
  shop: TestShop,
  { importFile }: Awaited<ReturnType<typeof open>>,
): Promise<Product[]> {
  const rows = Array.from({ length: 210 }, (_, n) => `Gauge ${n},12.50,1,100,Measures pivots.`);
  await importFile(['name,price,o_quantity,a_quantity,description', ...rows].join('\n'));
  return shop.client().call('listProducts', {});
}

const listErrors = ({ errors }: ImportReport) =>
  errors.map(({ row, field, message }) => `${row} ${field}: ${message}`);

describe.concurrent.each(engines)('a delivery in a CSV file on %s', (engine) => {
  test('a file needs only name and delivery: the pieces are added to the stock, and each delivery is in its history', async () => {
    await using shop = await startShop({ engine });
    const { importFile, preview, get, readHistory, listAudit } = await open(shop);
    const gauge = await shop.addProduct({ name: 'Gauge', a_quantity: 40 });
    const broach = await shop.addProduct({ name: 'Broach', a_quantity: 0 });
    const file = 'Name;Delivery\r\nGauge;12\r\nBroach;\r\n';
    const report = await preview(file);
    expect(report).toMatchObject({ update: 1, unchanged: 1, delivered: 12, errorCount: 0, noteCount: 0 });
    expect(report.rows).toEqual([
      {
        row: 2,
        action: 'update',
        name: 'Gauge',
        changes: [{ field: 'delivery', before: '40', after: '52' }],
      },
    ]);
    expect(await get(gauge._id)).toEqual(gauge);

    const { insertedId, ...applied } = await importFile(file);
    expect(applied).toEqual(report);
    // The version stays, so that a form that another admin has open can still be saved.
    expect(await get(gauge._id)).toEqual({ ...gauge, a_quantity: 52 });
    expect(await get(broach._id)).toEqual(broach);
    const [entry] = await listAudit();
    expect(entry).toMatchObject({ target: insertedId, name: '0 added, 1 changed, 12 pieces delivered' });
    expect(entry?.details).toBe('Gauge, delivery: 52 (was 40)');
    expect(await readHistory(gauge._id)).toEqual([
      ['opening', 40, 40, expect.any(String)],
      ['delivery', 12, 52, entry?.actor],
    ]);
    expect(await readHistory(broach._id)).toHaveLength(1);
  });

  test('a row can edit a product and deliver it; an outdated version rejects only edits', async () => {
    await using shop = await startShop({ engine });
    const { importFile, preview, get } = await open(shop);
    const gauge = await shop.addProduct({ price: 5, a_quantity: 40 });
    const header = 'id,version,price,a_quantity,delivery';
    const first = await importFile(`${header}\n${gauge._id},1,6,38,12`);
    expect(first.rows[0]?.changes).toEqual([
      { field: 'price', before: '5', after: '6' },
      { field: 'delivery', before: '40', after: '52' },
    ]);
    expect(first.notes.map(({ field }) => field)).toEqual(['a_quantity']);
    expect(await get(gauge._id)).toMatchObject({ price: 6, a_quantity: 52, version: 2 });
    expect(listErrors(await preview(`${header}\n${gauge._id},1,7,52,1`))).toEqual([
      expect.stringContaining('2 version: Changed since the export.'),
    ]);
    await importFile(`${header}\n${gauge._id},1,6,52,8`);
    expect(await get(gauge._id)).toMatchObject({ price: 6, a_quantity: 60, version: 2 });
  });

  test('a delivery that is not a whole number up to 1,000,000, or is for a new product, is an error and adds nothing', async () => {
    await using shop = await startShop({ engine });
    const { importFile, preview, get, readHistory } = await open(shop);
    const products: Product[] = [];
    for (let n = 0; n < 7; n++) products.push(await shop.addProduct({ name: `Gauge ${n}` }));
    const cells = ['5', '0', '-1', '1.5', '1000001', 'twelve', '+3'];
    const rows = products.map(
      ({ _id, name }, index) => `${_id},${name},12.50,1,,Measures pivots.,${cells[index]}`,
    );
    const columns = 'id,name,price,o_quantity,a_quantity,description,delivery';
    const file = [columns, ...rows, ',Broach,7,1,30,Cuts.,3'].join('\n');
    expect(listErrors(await preview(file))).toEqual([
      '3 delivery: Delivery must be at least 1',
      '4 delivery: Delivery must be at least 1',
      '5 delivery: Delivery must be a whole number',
      '6 delivery: Delivery must be at most 1000000',
      '7 delivery: Delivery must be in digits only, such as 12',
      '8 delivery: Delivery must be in digits only, such as 12',
      '9 delivery: Empty this cell: a new product starts with its available quantity',
    ]);
    expect(await catchProblem(importFile(file))).toMatchObject({ status: 422 });
    expect(await get(products[0]?._id ?? '')).toEqual(products[0]);
    expect(await readHistory(products[0]?._id ?? '')).toHaveLength(1);
    expect(listErrors(await preview('name;delivery\nGauge 0;1.000'))).toEqual([
      '2 delivery: Delivery must be in digits only, such as 12',
    ]);
    const unknown = await preview('name,delivery\nBroach,3');
    expect(listErrors(unknown)).toEqual([
      expect.stringContaining(
        '2 name: There is no product named “Broach”. Correct the name, or remove this row from the file.',
      ),
    ]);
    // An archived product can still be delivered.
    const edit = { params: { id: products[0]?._id ?? '' }, body: { version: 1, archived: true } };
    await shop.client(await shop.admin('Eve')).call('editProduct', edit);
    expect(await importFile('name,delivery\nGauge 0,999990')).toMatchObject({ delivered: 999_990 });
    expect((await get(products[0]?._id ?? '')).a_quantity).toBe(1_000_000);
  });

  test('a delivery cannot raise the stock above its limit, even together with another delivery', async () => {
    await using shop = await startShop({ engine });
    const { importFile, preview, get } = await open(shop);
    const { _id: id } = await shop.addProduct({ name: 'Gauge', a_quantity: 400_000 });
    const deliver = shop.client(await shop.admin('Eve')).call('adjustStock', {
      params: { id },
      body: { change: 600_000, reason: 'delivery', note: '' },
    });
    const outcomes = await Promise.allSettled([deliver, importFile('name,delivery\nGauge,600000')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await get(id)).a_quantity).toBe(1_000_000);
    expect(listErrors(await preview('name,delivery\nGauge,1'))).toEqual([
      '2 delivery: The stock would be 1000001, but may be at most 1000000.',
    ]);
  });

  test('the preview of a file says when it was last imported and by whom; the newest 500 files are remembered', async () => {
    await using shop = await startShop({ engine });
    const { importFile, preview, listAudit } = await open(shop);
    await shop.addProduct({ name: 'Gauge', a_quantity: 40 });
    const file = 'name,delivery\nGauge,12';
    expect((await preview(file)).earlier).toBeUndefined();
    await importFile(file);
    // Only an identical file counts: not one with other columns, nor this one with one more line break.
    await importFile('name,price\nGauge,7919');
    const [, first] = await listAudit();
    expect((await preview(file)).earlier).toEqual({ at: first?.at, by: first?.actor });
    expect((await preview(`${file}\n`)).earlier).toBeUndefined();
    const again = shop.client(await shop.admin('Eve'));
    await again.call('importProducts', { body: new Blob([file]) });
    const [last] = await listAudit();
    expect(last?.actor).not.toBe(first?.actor);
    expect((await preview(file)).earlier).toEqual({ at: last?.at, by: last?.actor });

    // Import ids ascend, so the next one is newer than all of these.
    const older = Array.from({ length: 510 }, (_, n) => ({ digest: `${n}`, import_id: `0-${1000 + n}` }));
    await shop.database.db.insertInto('imported_file').values(older).execute();
    await importFile('name,delivery\nGauge,1');
    const rows = await shop.database.db.selectFrom('imported_file').select('digest').execute();
    expect(rows).toHaveLength(500);
    expect(rows.map(({ digest }) => digest)).not.toContain('10');
    expect((await preview(file)).earlier).toEqual({ at: last?.at, by: last?.actor });
  });

  test('a new product in a delivery file is completed with the missing values, and imported with the rest', async () => {
    await using shop = await startShop({ engine });
    const { importFile, readHistory, get } = await open(shop);
    const gauge = await shop.addProduct({ name: 'Gauge', a_quantity: 40 });
    const file = 'name,delivery\nGauge,12\nBroach é,3\nTotal,15';
    const send = (rows: object[], query: { dry?: '1'; skip?: 'unmatched' }) => {
      const completed = JSON.stringify(rows);
      const body = `${file}${completed}`;
      return importFile(body, { query: { ...query, completed: `${Buffer.byteLength(completed)}` } });
    };
    const missing = ['price', 'o_quantity', 'description'];
    const incomplete = [
      { row: 3, name: 'Broach é', missing },
      { row: 4, name: 'Total', missing },
    ];
    const before = await importFile(file, { query: { dry: '1' } });
    expect(before).toMatchObject({ incomplete, unmatched: 2, create: 0 });

    const broach = { row: 3, cells: { price: '7,50', o_quantity: '2', description: 'Cuts, “évidemment”.' } };
    const partial = await send([{ row: 3, cells: { price: 'much' } }], { dry: '1', skip: 'unmatched' });
    expect(partial.incomplete).toEqual(incomplete);
    expect(partial.errors.map(({ row, field }) => [row, field])).toEqual(missing.map((field) => [3, field]));
    const report = await send([broach], { dry: '1', skip: 'unmatched' });
    expect(report).toMatchObject({ incomplete, create: 1, update: 1, errorCount: 0, delivered: 12 });
    // A cell that the file has is not replaced.
    const name = { row: 2, cells: { name: 'Other', a_quantity: '9' } };
    expect(await send([broach, name], { skip: 'unmatched' })).toMatchObject({ create: 1, update: 1 });
    expect((await get(gauge._id)).a_quantity).toBe(52);
    const added = (await shop.client().call('listProducts', {})).find((one) => one.name === 'Broach é');
    expect(added).toMatchObject({
      price: 7.5,
      o_quantity: 2,
      a_quantity: 3,
      description: 'Cuts, “évidemment”.',
    });
    expect((await readHistory(added?._id ?? '')).map(([reason, , level]) => [reason, level])).toEqual([
      ['opening', 3],
    ]);
    const wrong = importFile(`${file}[{"row":3}]`, { query: { completed: '11' } });
    expect(await catchProblem(wrong)).toMatchObject({ status: 422 });
  });

  test('a repeated file adds its pieces again, a repeated request does not', async () => {
    await using shop = await startShop({ engine });
    const { importFile, preview, get, readHistory } = await open(shop);
    const { _id } = await shop.addProduct({ name: 'Gauge', a_quantity: 40 });
    const file = 'name,delivery\nGauge,12';
    const replies = await Promise.all([1, 2, 3].map(() => importFile(file, { idempotencyKey: 'monday' })));
    const [first] = replies.filter(({ rows }) => rows.length > 0);
    expect(replies.filter(({ rows }) => rows.length > 0)).toHaveLength(1);
    for (const reply of replies)
      expect(reply).toMatchObject({ update: 1, delivered: 12, insertedId: first?.insertedId });
    expect((await get(_id)).a_quantity).toBe(52);
    expect((await preview(file)).rows[0]?.changes).toEqual([
      { field: 'delivery', before: '52', after: '64' },
    ]);
    await importFile(file, { idempotencyKey: 'tuesday' });
    expect((await readHistory(_id)).map(([, change, level]) => [change, level])).toEqual([
      [40, 40],
      [12, 52],
      [12, 64],
    ]);
  });

  test('imports and purchases of the same products at once all succeed, and the history adds up', async () => {
    await using shop = await startShop({ engine });
    const [ada, eve] = [await open(shop), await open(shop)];
    const tom = await shop.signUp();
    const products = await addProducts(shop, ada);
    const [first, last] = [products[0], products.at(-1)];
    if (!first || !last) return expect.unreachable();
    // Edits of the first products and deliveries of all, in both orders.
    const rows = products.map(({ _id }, index) => `${_id},${index < 100 ? '6' : ''},1`);
    const file = (lines: string[]) => ['id,lowStock,delivery', ...lines].join('\n');
    await Promise.all([
      ada.importFile(file(rows)),
      eve.importFile(file(rows.toReversed())),
      ...Array.from({ length: 20 }, (_, index) =>
        placePurchase(
          shop,
          tom,
          index % 2
            ? [
                [first, 1],
                [last, 1],
              ]
            : [
                [last, 1],
                [first, 1],
              ],
        ),
      ),
    ]);
    expect([(await ada.get(first._id)).a_quantity, (await ada.get(last._id)).a_quantity]).toEqual([82, 82]);
    expect((await ada.get(products[100]?._id ?? '')).a_quantity).toBe(102);
    const stock = products.map(({ _id }) => [_id, { stock: 100, seeded: true }] as const);
    expect(auditBooks(await readBooks(shop.config.database), new Map(stock))).toEqual([]);
  });
});

test('an import locks edited and delivered products in one order, as purchases do', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const ada = await open(shop);
  const ids = (await addProducts(shop, ada)).map(({ _id }) => _id).sort();
  // Edits of the last products and deliveries of all.
  const rows = ids.map((id, index) => `${id},${index < 100 ? '' : '6'},1`);
  const { db } = shop.database;
  const imported = await db.transaction().execute(async (tx) => {
    const lock = (locked: string[]) =>
      tx.selectFrom('product').select('id').where('id', 'in', locked).forUpdate().noWait().execute();
    await lock(ids.slice(0, 1));
    const importing = ada.importFile(['id,lowStock,delivery', ...rows.toReversed()].join('\n'));
    await waitUntil(async () => {
      const { rows: waiting } = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      );
      expect(waiting).toHaveLength(1);
    });
    // The import waits for the first product without holding any other.
    expect(await lock(ids)).toHaveLength(210);
    return { importing };
  });
  expect(await imported.importing).toMatchObject({ update: 210, delivered: 210 });
});
