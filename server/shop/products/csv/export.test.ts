import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportColumns } from '../../../../contract/catalogue/product-file.ts';
import { engines } from '../../../../tests/support/database.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../../tests/support/requests.ts';
import { startShop } from '../../../../tests/support/shop.ts';
import { escapeFormula, unescapeFormula } from '../../../http/calls/csv.ts';

const query = { format: 'csv' };

describe.each(engines)('on %s', (engine) => {
  test('GET /products?format=csv exports every product, archived or not, for a spreadsheet', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const fields = { name: 'Reamer, "fine"', description: 'Line one\nline two; übergroß', price: 7.25 };
    const first = await shop.addProduct(fields);
    const second = await shop.addProduct({
      name: '=HYPERLINK("https://evil.example")',
      description: 'Cuts;=1+1;fits',
    });
    const client = shop.client(admin);
    const edit = { version: 1, archived: true, category: '@Pivots', lowStock: 3 };
    await client.call('editProduct', { params: { id: second._id }, body: edit });

    const response = await sendCall(shop, 'listProducts', { query, headers: tokenHeaders(admin) });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="products.csv"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const rows: Record<string, string>[] = parse(bytes, { bom: true, columns: true });
    expect(rows.map((row) => Object.keys(row))).toEqual([exportColumns, exportColumns]);
    expect(rows).toMatchObject([
      {
        id: first._id,
        version: '1',
        name: fields.name,
        price: '7.25',
        o_quantity: '1',
        a_quantity: '10',
        delivery: '',
        category: '',
        lowStock: '',
        archived: 'no',
        images: first.img,
        description: fields.description,
      },
      {
        id: second._id,
        version: '2',
        name: `'${second.name}`,
        price: '12.5',
        o_quantity: '1',
        a_quantity: '10',
        delivery: '',
        category: "'@Pivots",
        lowStock: '3',
        archived: 'yes',
        images: second.img,
        description: "Cuts;'=1+1;fits",
      },
    ]);
  });

  test('the export reads the catalogue in batches, and no product is missing or listed twice', async () => {
    await using shop = await startShop({ engine });
    const { _id } = await shop.addProduct();
    const { db } = shop.database;
    const [row] = await db.selectFrom('product').selectAll().where('id', '=', _id).execute();
    if (!row) throw new Error('The product is missing.');
    const ids = Array.from({ length: 1000 }, (_, n) => `${_id}-${`${n}`.padStart(4, '0')}`);
    await db
      .insertInto('product')
      .values(ids.map((id) => ({ ...row, id })))
      .execute();
    const headers = tokenHeaders(await shop.admin());
    const text = await (await sendCall(shop, 'listProducts', { query, headers })).text();
    const rows: string[][] = parse(text, { bom: true });
    expect(rows.map(([id]) => id)).toEqual(['id', _id, ...ids]);
  });
});

test('only admins can export', async () => {
  await using shop = await startShop();
  await shop.addProduct();
  const tom = await shop.signUp();
  for (const [headers, status] of [
    [{}, 401],
    [tokenHeaders(tom), 403],
  ] as const) {
    const response = await sendCall(shop, 'listProducts', { query, headers });
    expect((await readProblem(response)).status).toBe(status);
  }
});

test('numbers that a spreadsheet would save differently are exported as text, and others as numbers', () => {
  for (const text of ['007', '9400111899223100001234', '123456789012', '1.50', '1E5', '1,234', '0123.40']) {
    expect(escapeFormula(text)).toBe(`'${text}`);
    expect(unescapeFormula(`'${text}`)).toBe(text);
    expect(unescapeFormula(escapeFormula(`'${text}`))).toBe(`'${text}`);
  }
  for (const text of ['0', '12.5', '999999.99', '12345678901', '1-2 pieces', '007 Gauge', "'12.5"])
    expect(escapeFormula(text)).toBe(text);
  const digits = fc.stringMatching(/^'{0,2}[\d.,eE+-]{1,30}$/);
  fc.assert(
    fc.property(digits, (text) => {
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
    }),
  );
});

test('texts that a spreadsheet would read as dates, times, fractions or truth values are exported as text', () => {
  const converted = [
    '3/4',
    '12-3',
    '12 - 3',
    '1 1/2',
    '3-4-2026',
    '3.4.26',
    '3.4.',
    '2026-05-03',
    '2026/5',
    '1:87',
    '120:30',
    '5 May',
    'may-26',
    'SEPT2',
    'March 5, 2026',
    '5-dec-2026',
    '10:30 PM',
    '5 am',
    '7p',
    'TRUE',
    'false',
  ];
  for (const text of converted) {
    expect(escapeFormula(text)).toBe(`'${text}`);
    expect(unescapeFormula(`'${text}`)).toBe(text);
    expect(unescapeFormula(escapeFormula(`'${text}`))).toBe(`'${text}`);
  }
  const others = [
    'May',
    'June Sommer',
    '5 Mayflies',
    '1234-5678',
    'K7QD-2M4X',
    '030 123 456',
    '2026-05-03T10:30:00.000Z',
    '1-2 pieces',
    '3/4" reamer',
    'Gauge 1:87',
    '5 mm',
    'true brass',
    'yes',
    '3/',
    '/4',
  ];
  for (const text of others) expect(escapeFormula(text)).toBe(text);
  const parts = fc.constantFrom(
    "'",
    '1',
    '12',
    '2026',
    '/',
    '-',
    ':',
    '.',
    ' ',
    ';',
    'May',
    'pm',
    'true',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (words) => {
      const text = words.join('');
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
    }),
  );
});

test('no exported text runs as a formula, and each can be restored exactly', () => {
  const prefixes = fc.constantFrom('', "'", "''", '=', '+', '-', '@', '\t', '\r', "'=", '＝');
  const separators = fc.constantFrom(';', ';"', "\t'", '\r\n', '\n');
  const hostile = fc.tuple(prefixes, fc.string(), separators);
  fc.assert(
    fc.property(hostile, ([prefix, rest, separator]) => {
      const text = prefix + rest;
      const cell = escapeFormula(text);
      expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
      expect(unescapeFormula(cell)).toBe(text);
      // Where semicolons separate cells, quotes that surround the whole text separate nothing.
      const split = escapeFormula(`x${separator}${text}`);
      expect(split).not.toMatch(/[;\t\r\n]"*[=+\-@＝＋－＠]/);
      expect(unescapeFormula(split)).toBe(`x${separator}${text}`);
    }),
  );
});
