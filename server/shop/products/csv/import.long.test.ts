import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportColumns } from '../../../../contract/catalogue/product-file.ts';
import { importReport } from '../../../../contract/catalogue/product-import.ts';
import type { Product } from '../../../../contract/catalogue/products.ts';
import { engines } from '../../../../tests/support/database.ts';
import { placeOrder } from '../../../../tests/support/payments.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';

/** An admin who imports and exports files. */
async function open(shop: TestShop) {
  const admin = await shop.admin();
  const client = shop.client(admin);
  const send = (body: string | Buffer, query: Record<string, string>, key?: string) =>
    shop.fetch(
      new Request(`${shop.origin}/api/products/import?${new URLSearchParams(query)}`, {
        method: 'POST',
        headers: {
          ...tokenHeaders(admin),
          'content-type': 'text/csv',
          ...(key ? { 'idempotency-key': key } : {}),
        },
        body: new Uint8Array(Buffer.from(body)),
      }),
    );
  const read = async (response: Response) => {
    expect([response.status, response.ok || (await response.text())]).toEqual([200, true]);
    return importReport.parse(await response.json());
  };
  return {
    admin,
    client,
    send,
    preview: async (body: string | Buffer) => read(await send(body, { dry: '1' })),
    apply: async (body: string | Buffer, key?: string) => read(await send(body, {}, key)),
    async reject(body: string | Buffer, query = {}) {
      const { status, detail } = await readProblem(await send(body, query));
      return `${status} ${detail}`;
    },
    async export() {
      const query = { format: 'csv' };
      const response = await sendCall(shop, 'listProducts', { query, headers: tokenHeaders(admin) });
      return Buffer.from(await response.arrayBuffer());
    },
    get: (id: string) => client.call('getProduct', { params: { id } }),
    list: () => client.call('listProducts', {}),
  };
}

const counts = ({
  create,
  update,
  unchanged,
  errorCount,
}: Awaited<ReturnType<typeof importReport.parse>>) => [create, update, unchanged, errorCount];
const header = 'id,name,price,o_quantity,a_quantity,description';

describe.concurrent.each(engines)('on %s', (engine) => {
  test('an import adds and changes products, and nothing else', async () => {
    await using shop = await startShop({ engine });
    const { preview, apply, get, list, client, export: exportFile } = await open(shop);
    const gauge = await shop.addProduct();
    const other = await shop.addProduct({ name: 'Reamer' });
    await client.call('listProducts', {});
    const file = [
      'id;name;price;o_quantity;a_quantity;description;category;archived;images',
      `${gauge._id};Gauge;19,99;2;999;"Two\r\nlines; one cell";Gauges;yes;${other.img}`,
      `${other._id};${other.name};12.50;1;10;${other.description};;no;${other.img}`,
      ';Broach;7;1;30;Cuts.;;;',
    ].join('\r\n');
    const before = await exportFile();
    const report = await preview(file);
    expect(await exportFile()).toEqual(before);
    expect(counts(report)).toEqual([1, 1, 1, 0]);
    expect(report.rows.map(({ row, action, name }) => [row, action, name])).toEqual([
      [2, 'update', 'Gauge'],
      [4, 'create', 'Broach'],
    ]);
    expect(report.rows[0]?.changes).toContainEqual({ field: 'price', before: '12.5', after: '19.99' });
    expect(report.notes).toEqual([
      {
        row: 2,
        field: 'a_quantity',
        message:
          'Ignored: a file sets the stock only for new products, and this one has 10. Enter pieces that arrived as a delivery.',
      },
      expect.objectContaining({ row: 4, field: 'images' }),
    ]);

    const { insertedId, ...applied } = await apply(file);
    expect(applied).toEqual(report);
    expect(await get(gauge._id)).toEqual({
      ...gauge,
      name: 'Gauge',
      price: 19.99,
      o_quantity: 2,
      category: 'Gauges',
      archived: true,
      version: 2,
      img: other.img,
      images: [other.img],
      description: 'Two\nlines; one cell',
    });
    expect((await get(other._id)).version).toBe(1);
    const [, broach] = await list();
    expect(broach).toMatchObject({ name: 'Broach', price: 7, a_quantity: 30, archived: false, version: 1 });
    // The placeholder image is stored.
    expect((await shop.send(broach?.img ?? '')).status).toBe(200);
    const [entry] = await client.call('listAudit', {});
    expect(entry).toMatchObject({ action: 'importProducts', target: insertedId, name: '1 added, 1 changed' });
    expect(entry?.details).toContain('Gauge, price: 19.99 (was 12.5)');
    expect(counts(await preview(await exportFile()))).toEqual([0, 0, 3, 0]);
  });

  test('importing an export changes nothing, whatever its texts contain', async () => {
    await using shop = await startShop({ engine });
    const { preview, apply, export: exportFile, list } = await open(shop);
    const { _id } = await shop.addProduct();
    const { db } = shop.database;
    const cell = fc.string({
      unit: fc.oneof(fc.constantFrom(...`'"=+-@,;\r\n`), fc.string({ minLength: 1, maxLength: 1 })),
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(cell, cell, async (name, description) => {
        await db.updateTable('product').set({ name, description }).where('id', '=', _id).execute();
        expect(counts(await preview(await exportFile()))).toEqual([0, 0, 1, 0]);
      }),
      { numRuns: 50 },
    );
    // An imported name comes back exactly, too.
    for (const name of [
      'a;=1',
      "a;'=1",
      `a;"=1`,
      `'`,
      `'=1`,
      `''=1`,
      '=1+1',
      `-5" "x"`,
      '@SUM(A1)',
      "'tis",
    ]) {
      const escaped = name.replace(/^(?='*[=\-@])|(?<=;)(?=['"]*=)/, "'");
      await apply(`id,name\n${_id},"${escaped.replaceAll('"', '""')}"`);
      expect((await list())[0]?.name).toBe(name);
    }
  });

  test('with any error, nothing is imported, and each error names its row and column', async () => {
    await using shop = await startShop({ engine });
    const { preview, reject, export: exportFile, client } = await open(shop);
    const { _id } = await shop.addProduct({ price: 5 });
    await client.call('editProduct', { params: { id: _id }, body: { version: 1, name: 'Newer' } });
    const before = await exportFile();
    const unknownId = randomUUID();
    const file = [
      `version,archived,images,lowStock,${header}`,
      `,,,,,Broach,7,1,1,Cuts.`,
      `1,,,,${_id},Gauge,5,1,10,Measures pivots.`,
      `,,,,${_id},Gauge,5,1,10,Measures pivots.`,
      `,,,,${unknownId},Gauge,5,1,10,Measures pivots.`,
      `,,,,,,"1,250",1.5,-1,`,
      `,maybe,/images/none.webp,,,Broach,7,1,1,Cuts.`,
      `,maybe,,0,,Broach,0.1,1,1,Cuts.`,
      ',,,,,Broach,0.1,1,1,Cuts.',
    ].join('\n');
    const report = await preview(file);
    expect(report.errors.map(({ row, field, message }) => `${row} ${field}: ${message}`)).toEqual([
      '3 version: Changed since the export. Export again, or empty this cell to overwrite the other change.',
      '4 id: Row 3 has the same product or name.',
      `5 id: There is no product with the id “${unknownId}”. Correct the id, or remove this row from the file. To add a product, leave this cell empty.`,
      '6 name: Name is Required',
      '6 price: Price must be in digits, such as 1234.50 or 1234,50',
      '6 o_quantity: Order quantity must be a whole number',
      '6 description: Description is Required',
      '6 a_quantity: Available quantity must be at least 0',
      '7 images: An image must be one that was uploaded here, with its URL as in an export.',
      '8 lowStock: Low-stock threshold must be at least 1',
      '8 archived: Archived must be yes or no',
      '9 price: Price × order quantity must be at least USD 0.50',
    ]);
    expect(await reject(file)).toBe(
      '422 12 values are wrong, so nothing was imported. row 3, version: Changed since the export. Export again, or empty this cell to overwrite the other change.',
    );
    expect(await exportFile()).toEqual(before);
    // Only the first 100 errors are listed.
    const many = await preview(`id,price\n${'x,1\n'.repeat(150)}`);
    expect([many.errors.length, many.errorCount]).toEqual([100, 150]);
  });

  test('an unknown id or name is quoted; the errors name what to do and what a new product needs', async () => {
    await using shop = await startShop({ engine });
    const { preview } = await open(shop);
    const errorsOf = async (file: string) =>
      (await preview(file)).errors.map(({ row, field, message }) => `${row} ${field}: ${message}`);
    const needs =
      'or remove this row from the file. To add a product, the file also needs: Price, Order quantity, Available quantity, Description.';
    // Delivered pieces are the stock of a new product.
    const withStock = needs.replace(' Available quantity,', '');
    expect(await errorsOf(`name,delivery\n"Pin ""vise"" S",3\n${'x'.repeat(70)},3\n,691`)).toEqual([
      `2 name: There is no product named “Pin "vise" S”. Correct the name, ${withStock}`,
      `3 name: There is no product named “${'x'.repeat(60)}…”. Correct the name, ${withStock}`,
      `4 name: This row has no name. Enter the name, ${needs}`,
    ]);
    expect(await errorsOf('id,name,delivery\n,Pin vise,3\nmistyped,Pin vise,3')).toEqual([
      `2 id: This row has no id. Enter the id, ${withStock}`,
      '3 id: There is no product with the id “mistyped”. Correct the id, or remove this row from the file. To add a product, leave this cell empty.',
    ]);
  });

  test('rows that match no product are skipped on request, and listed', async () => {
    await using shop = await startShop({ engine });
    const { send, get, preview } = await open(shop);
    const gauge = await shop.addProduct({ name: 'Gauge', a_quantity: 40 });
    await shop.addProduct({ name: 'Reamer' });
    const file = 'name;delivery\nGauge;12\nTotal;12\n;12\nTotal;24';
    expect(await preview(file)).toMatchObject({ errorCount: 3, unmatched: 3, noteCount: 0 });
    const skip = 'unmatched';
    const report = importReport.parse(await (await send(file, { dry: '1', skip })).json());
    expect(report).toMatchObject({ update: 1, delivered: 12, errorCount: 0, unmatched: 3, noteCount: 3 });
    expect(report.notes).toEqual([
      { row: 3, field: 'name', message: 'Skipped: There is no product named “Total”.' },
      { row: 4, field: 'name', message: 'Skipped: This row has no name.' },
      { row: 5, field: 'name', message: 'Skipped: There is no product named “Total”.' },
    ]);
    expect((await send(file, { skip }, 'monday')).status).toBe(200);
    expect((await get(gauge._id)).a_quantity).toBe(52);
    // Without `skip`, the request is a different import.
    expect((await readProblem(await send(file, {}, 'monday'))).detail).toMatch(/key/i);
    // Other errors are not skipped.
    const wrong = await send('name;delivery\nGauge;-1\nReamer;x', { dry: '1', skip });
    expect(importReport.parse(await wrong.json())).toMatchObject({ errorCount: 2, unmatched: 0 });
    expect((await readProblem(await send(file, { skip: 'all' }))).detail).toContain('Skip must be unmatched');
  });

  test('the report counts the products that change in each field', async () => {
    await using shop = await startShop({ engine });
    const { preview } = await open(shop);
    const gauge = await shop.addProduct({ name: 'Gauge', price: 168 });
    const reamer = await shop.addProduct({ name: 'Reamer', price: 12.5 });
    const rows = [`${gauge._id},Gauge,98.50,7`, `${reamer._id},Fine reamer,9,`];
    expect(await preview(`id,name,price,delivery\n${rows.join('\n')}`)).toMatchObject({
      update: 2,
      changed: { price: 2, name: 1 },
      delivered: 7,
    });
  });

  test('the report lists deliveries after other changes', async () => {
    await using shop = await startShop({ engine });
    const { preview, apply } = await open(shop);
    const names = Array.from({ length: 101 }, (_, n) => `Gauge ${n}`);
    const products = names.map((name) => `${name},5,1,10,Measures pivots.`);
    await apply(`name,price,o_quantity,a_quantity,description\n${products.join('\n')}`);
    const rows = names.map((name, n) => `${name},${n === 50 || n === 100 ? 'yes' : 'no'},1`);
    const report = await preview(`name,archived,delivery\n${rows.join('\n')}`);
    expect(report).toMatchObject({ update: 101, changed: { archived: 2 }, delivered: 101 });
    expect(report.rows.map(({ row }) => row)).toEqual([
      52,
      102,
      ...Array.from({ length: 99 }, (_, n) => n + 2).filter((row) => row !== 52),
    ]);
  });

  test('names match without regard to capitals and spaces, and products keep their names', async () => {
    await using shop = await startShop({ engine });
    const { preview, apply, get } = await open(shop);
    const clamps = await shop.addProduct({ name: 'Mainspring clamps, set of three', a_quantity: 3 });
    for (const name of ['Reamer', 'REAMER', 'Ölgeber', 'ÖLGEBER']) await shop.addProduct({ name });
    const file = (name: string) => `name;delivery\n${name};12`;
    expect(await preview(file('  mainspring  CLAMPS, set of three '))).toMatchObject({
      update: 1,
      changed: {},
      errorCount: 0,
      rows: [{ name: 'Mainspring clamps, set of three' }],
    });
    await apply(file('mainspring clamps, set of three'));
    expect(await get(clamps._id)).toEqual({ ...clamps, a_quantity: 15 });
    await shop.addProduct({ name: 'Café clock'.normalize('NFC') });
    expect(await preview(file('Café clock'.normalize('NFD')))).toMatchObject({ update: 1, changed: {} });
    // The exact name is preferred to similar ones.
    expect(await preview(file('Reamer'))).toMatchObject({ update: 1, rows: [{ name: 'Reamer' }] });
    for (const name of ['reamer', 'ölgeber'])
      expect((await preview(file(name))).errors).toMatchObject([
        { row: 2, message: 'Several products have this name. Identify them by id.' },
      ]);
    expect(
      (await preview('name;delivery\nMainspring clamps, set of three;1\nmainspring clamps, set of three;1'))
        .errors,
    ).toEqual([{ row: 3, field: 'name', message: 'Row 2 has the same product or name.' }]);
  });

  test('a file without ids names products by their names', async () => {
    await using shop = await startShop({ engine });
    const { preview, apply, get } = await open(shop);
    const gauge = await shop.addProduct({ name: 'Gauge' });
    for (const _ of [1, 2]) await shop.addProduct({ name: 'Reamer' });
    const report = await preview('name,price\nGauge,9\nReamer,9\nGouge,9\nGauge,8');
    expect(report.errors.map(({ row, field, message }) => `${row} ${field}: ${message}`)).toEqual([
      '3 name: Several products have this name. Identify them by id.',
      '4 name: There is no product named “Gouge”. Correct the name, or remove this row from the file. To add a product, the file also needs: Order quantity, Available quantity, Description.',
      '5 name: Row 2 has the same product or name.',
    ]);
    expect(counts(await apply('NAME\tprice\nGauge\t9\n'))).toEqual([0, 1, 0, 0]);
    expect((await get(gauge._id)).price).toBe(9);
  });

  test('names for the columns replace the headings of a supplier’s file', async () => {
    await using shop = await startShop({ engine });
    const { send, get, reject } = await open(shop);
    const gauge = await shop.addProduct({ name: 'Gauge' });
    const file = 'Pos;Artikel;Menge;name\n1;Gauge;12;x';
    const problem = await readProblem(await send(file, { dry: '1' }));
    expect(problem.data?.headings).toEqual([
      { heading: 'Pos', example: '1', column: '' },
      { heading: 'Artikel', example: 'Gauge', column: '' },
      { heading: 'Menge', example: '12', column: '' },
      { heading: 'name', example: 'x', column: 'name' },
    ]);
    const columns = ',name,delivery';
    expect(await reject(file, { columns: 'id,Artikel,delivery' })).toMatch(
      /^422 Unknown columns.*: Artikel\./,
    );
    expect(await reject(file, { columns: ',name,name' })).toBe(
      '422 Two headings are set to Name. Change one.',
    );
    expect(await reject(file, { columns: ',,delivery' })).toBe(
      '422 None of the headings is set to Name or Id. Choose the one that identifies the products.',
    );
    expect(await reject(file, { columns: 'x'.repeat(2001) })).toMatch(/^422 .*2000 characters/);
    const sendWithKey = async (query: Record<string, string>) => (await send(file, query, 'monday')).status;
    expect([await sendWithKey({ columns }), await sendWithKey({ columns })]).toEqual([200, 200]);
    expect((await get(gauge._id)).a_quantity).toBe(22);
    // With other columns, the request is a different import.
    expect(await sendWithKey({ columns: ',name,a_quantity' })).toBe(422);
  });

  test('the same Idempotency-Key imports once and returns the first counts; with another file it is rejected', async () => {
    await using shop = await startShop({ engine });
    const { send, apply, list } = await open(shop);
    const file = `${header}\n,Broach,7,1,1,Cuts.`;
    const first = await apply(file, 'key');
    expect(await apply(file, 'key')).toMatchObject({ create: 1, insertedId: first.insertedId });
    expect(await list()).toHaveLength(1);
    expect((await send(`${file}\n`, {}, 'key')).status).toBe(422);
    expect(await list()).toHaveLength(1);
    // The first import has changed the product's version. Repeating the request replays the result instead of rejecting the file.
    const [{ _id = '' } = {}] = await list();
    const edit = `id,version,price\n${_id},1,8`;
    expect(await apply(edit, 'edit')).toMatchObject({ update: 1 });
    expect(await apply(edit, 'edit')).toMatchObject({ update: 1, errorCount: 0 });
    expect(await list()).toMatchObject([{ price: 8, version: 2 }]);
  });

  test('simultaneous imports of the same new products by two admins add them once', async () => {
    await using shop = await startShop({ engine });
    const [ada, eve] = [await open(shop), await open(shop)];
    const file = 'name,price,o_quantity,a_quantity,description\nGauge,7,1,30,Measures pivots.';
    const reports = await Promise.all([ada.apply(file), eve.apply(file)]);
    expect(reports.map(({ create }) => create).sort()).toEqual([0, 1]);
    expect(await ada.list()).toHaveLength(1);
    // The image of products without one belongs to no admin.
    const images = await shop.database.db.selectFrom('image').select('user_id').execute();
    expect(images.map(({ user_id }) => user_id)).toEqual([null, null, null]);
  });

  test('simultaneous imports, edits and orders lose nothing', async () => {
    await using shop = await startShop({ engine });
    const { send, get, client } = await open(shop);
    const [tom, ben] = [await shop.signUp(), await open(shop)];
    const products: Product[] = [];
    for (let n = 0; n < 12; n++) products.push(await shop.addProduct({ name: `Gauge ${n}`, a_quantity: 50 }));
    const file = (category: string) =>
      ['id,category', ...products.map(({ _id }) => `${_id},${category}`)].join('\n');
    const results = await Promise.all([
      send(file('A'), {}),
      ben.send(file('B'), {}),
      ...products.map(({ _id, version }) =>
        client.call('editProduct', { params: { id: _id }, body: { version, lowStock: 5 } }).then(
          () => ({ status: 200 }),
          () => ({ status: 409 }),
        ),
      ),
      ...products.map((product) => placeOrder(shop, tom, product, 2).then(() => ({ status: 200 }))),
    ]);
    const statuses = results.map(({ status }) => status);
    // Without versions in the files, both imports succeed, one after the other.
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    const after = await Promise.all(products.map(({ _id }) => get(_id)));
    expect(new Set(after.map(({ category }) => category)).size).toBe(1);
    for (const [index, { version, lowStock, a_quantity, name }] of after.entries()) {
      const edited = statuses[2 + index] === 200;
      expect([name, version, lowStock, a_quantity]).toEqual([
        `Gauge ${index}`,
        edited ? 4 : 3,
        edited ? 5 : undefined,
        48,
      ]);
    }
  });
});

describe.concurrent.each(engines)('files of real programs on %s', (engine) => {
  test.each([
    ['a line sep=; as Excel writes it', 'sep=;\r\nname;price\r\nPivot Gauge;12,50\r\n'],
    ['a byte order mark and "sep=\t"', '\uFEFF"sep=\t"\nname\tprice\nPivot Gauge\t12.5'],
    ['a line sep=|', 'sep=|\nname|price\nPivot Gauge|12.5'],
    ['a quoted comma in a heading', 'name;price;"category, kind"\nPivot Gauge;12,50;\n', 'name,price,'],
    ['an unquoted comma in a heading', 'name;price;category, kind\nPivot Gauge;12,50;\n', 'name,price,'],
    ['headings with line breaks', '"name\r\n";"\nprice\n"\r\n"Pivot Gauge";12,50\r\n'],
    ['a heading of two lines', '"Item\nname";"Price\r\nnet"\nPivot Gauge;12,50', 'name,price'],
    ['line endings of three systems', 'name,price\r\nOiler,1\rPivot Gauge,12.5\nVise,2\r\n'],
    ['old line endings', 'name,price\rPivot Gauge,12.5\r'],
    ['more cells below a heading with commas', 'name;price;a,b\nPivot Gauge;12,50;"x;y"', 'name,price,'],
  ])('%s', async (_, file, columns = '') => {
    await using shop = await startShop({ engine });
    const { send, get } = await open(shop);
    for (const name of ['Oiler', 'Vise']) await shop.addProduct({ name });
    const { _id } = await shop.addProduct({ name: 'Pivot Gauge', price: 4 });
    const response = await send(file, columns ? { columns } : {});
    expect([response.status, await response.json()]).toMatchObject([200, { errorCount: 0 }]);
    expect(await get(_id)).toMatchObject({ price: 12.5 });
  });

  test('a file in Windows-1252 is previewed, and imported only with its encoding', async () => {
    await using shop = await startShop({ engine });
    const { send, preview, reject, list } = await open(shop);
    const text =
      'name;price;o_quantity;a_quantity;description\nZürcher Öler 12½ “groß”;3,50;1;5;5 € günstiger\n';
    const bytes = { '“': 0x93, '”': 0x94, '€': 0x80 };
    const file = Buffer.from(
      Uint8Array.from(text, (letter) =>
        letter in bytes ? bytes[letter as keyof typeof bytes] : letter.charCodeAt(0),
      ),
    );
    const report = await preview(file);
    expect(report).toMatchObject({ create: 1, encoding: 'windows-1252' });
    expect(report.rows[0]?.name).toBe('Zürcher Öler 12½ “groß”');
    for (const query of [{}, { encoding: 'utf-8' }])
      expect(await reject(file, query)).toMatch(/^400 .*perhaps as Windows-1252.*encoding=windows-1252\.$/);
    expect((await send(file, { encoding: 'windows-1252' })).status).toBe(200);
    expect(await list()).toMatchObject([{ name: 'Zürcher Öler 12½ “groß”', description: '5 € günstiger' }]);
    expect(await preview(text)).toMatchObject({ encoding: 'utf-8', unchanged: 1 });
  });
});

test('a file in another format or encoding is rejected with what to do', async () => {
  await using shop = await startShop();
  const { reject } = await open(shop);
  const { _id } = await shop.addProduct();
  const save = 'Save the file as “CSV UTF-8” and choose it again.';
  const columns = `${exportColumns.join(', ')}.`;
  for (const [file, message] of [
    ['', '400 The file is empty. Choose another.'],
    [Buffer.from('\uFEFFid,price\n', 'utf16le'), `400 The file is encoded as UTF-16. ${save}`],
    [
      Buffer.concat([Buffer.from('id,name\n1,'), Buffer.from([0x81, 0xa0, 0x8d])]),
      `400 The file is encoded neither as UTF-8 nor as Windows-1252. ${save}`,
    ],
    [
      'Artikel;Menge, Stück\nFeile;3,5',
      '422 The headings contain as many commas as semicolons. Put each heading in quotation marks, or write sep=, or sep=; in a line above them.',
    ],
    [
      `sep=;\nid,price\n${_id},5`,
      '422 The first line, sep=;, says that semicolons separate the cells, but the headings contain commas. Remove that line.',
    ],
    [
      `sep=,\r\nid\tprice\r\n${_id}\t5`,
      '422 The first line, sep=,, says that commas separate the cells, but the headings contain tabs. Remove that line.',
    ],
    [
      `id;price\n${_id};1;5`,
      '422 Row 2 has more cells than the header. Put a cell with a semicolon in quotation marks.',
    ],
    [Buffer.from('PK\x03\x04…'), `400 This is a spreadsheet or an archive, not CSV. ${save}`],
    ['id,price', '422 The file has no rows below its header.'],
    [
      'id,sku',
      `422 Unknown columns in the first row: sku. Remove or rename them. The columns are: ${columns}`,
    ],
    [
      'id,sku,Prize\n1,2,3',
      `422 Unknown columns in the first row: sku, Prize. Remove or rename them. The columns are: ${columns}`,
    ],
    ['id,price,ID\n1,2,3', '422 The column id appears twice. Remove one.'],
    ['price\n2', `422 The first row must name the columns, at least id or name. The columns are: ${columns}`],
    [
      `id,price\n${_id},1,5`,
      '422 Row 2 has more cells than the header. Put a cell with a comma in quotation marks.',
    ],
    // A row is rejected before the rest of it is read.
    [
      `id,name\n${_id},x,y,"${'z'.repeat(30_000)}`,
      '422 Row 2 has more cells than the header. Put a cell with a comma in quotation marks.',
    ],
    [
      `id,name${','.repeat(98)}\n${_id}${','.repeat(100)}`,
      '422 Row 2 has more cells than the header. Put a cell with a comma in quotation marks.',
    ],
    [
      `id,name${','.repeat(99)}\n${_id}`,
      '422 The first row has more than 100 cells. Delete the empty columns.',
    ],
    [
      `id,name\n${_id},"5" gauge"`,
      '422 Row 2 has a quotation mark in the wrong place. Put the whole cell in quotation marks, and double those inside it.',
    ],
    [`id,name\n${_id},x\n1,"open`, '422 Row 3 has no closing quotation mark.'],
    [
      `id,name\n1,"${'x'.repeat(30_000)}"`,
      '422 Row 2 is too long. Check whether a closing quotation mark is missing.',
    ],
    [
      `id,name\n${',\n'.repeat(20_001)}`,
      '413 A file may have at most 20000 rows. Split it into several files.',
    ],
    [
      `id,name\n${','.repeat(19_000)}\n`,
      '422 Row 2 has more cells than the header. Put a cell with a comma in quotation marks.',
    ],
    [Buffer.alloc(20_000_001, 'a'), '413 The file is larger than 20 MB.'],
  ] as const)
    expect(await reject(file as string | Buffer, { dry: '1' })).toBe(message);
});

test('strangers and other content types are rejected before the file is read', async () => {
  await using shop = await startShop();
  const { admin } = await open(shop);
  const tom = await shop.signUp();
  for (const [headers, status] of [
    [{ 'content-type': 'text/csv' }, 401],
    [{ 'content-type': 'text/csv', ...tokenHeaders(tom) }, 403],
    [{ 'content-type': 'text/csv', cookie: admin.cookie, origin: 'https://evil.example' }, 403],
    [{ 'content-type': 'text/plain', ...tokenHeaders(admin) }, 415],
  ] as const) {
    let isRead = false;
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const init = {
      method: 'POST',
      headers: { origin: shop.origin, ...headers },
      body,
      duplex: 'half',
    };
    const request = new Request(`${shop.origin}/api/products/import`, init);
    expect([(await readProblem(await shop.fetch(request))).status, isRead]).toEqual([status, false]);
  }
});
