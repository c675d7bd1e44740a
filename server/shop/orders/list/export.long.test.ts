import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { insertOrders } from '../../../../tests/support/order-rows.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../../tests/support/requests.ts';
import { startShop } from '../../../../tests/support/shop.ts';
import { recordStatements } from '../../../../tests/support/statements.ts';

describe.concurrent.each(engines)('on %s', (engine) => {
  test('GET /order?format=csv exports the filtered orders as a file that is safe in a spreadsheet', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const [id] = await insertOrders(shop, [
      {
        number: 'K7QD-2M4X',
        status: 'sipping',
        refunded: 50,
        refunded_quantity: 1,
        created_at: Date.UTC(2026, 2, 1, 12),
        name: '=HYPERLINK("https://evil.example")',
        phone: '+49 30 1',
        address: '@home,\n1 "A" St;=1+1',
        product_name: 'Ölgeber',
        total: 1990,
        quantity: 2,
        transaction_id: 'pi_1',
        product_id: 'p1',
      },
      { status: '' },
    ]);
    const query = { format: 'csv', status: 'shipped', limit: '1' };
    const response = await sendCall(shop, 'listAllOrders', { query, headers: tokenHeaders(admin) });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(bytes.subarray(3).toString()).toBe(
      [
        'Number,Ordered (UTC),Status,Product,Quantity,Total,Currency,Refunded,Refund pending,Disputed,Charged back,Customer,Email,Phone,Address,Transaction,Shipped (UTC),Carrier,Tracking number,Order id,Product id,Refunded quantity,Shipped quantity',
        `K7QD-2M4X,2026-03-01T12:00:00.000Z,shipped,Ölgeber,2,19.9,USD,0.5,0,no,0,"'=HYPERLINK(""https://evil.example"")",tom@example.com,'+49 30 1,"'@home, 1 ""A"" St =1+1",pi_1,,,,${id},p1,1,2`,
        '',
      ].join('\r\n'),
    );
  });

  test('an export has times with the offset of the shop’s time zone, which its headings name', async () => {
    await using shop = await startShop({ engine, settings: { TIME_ZONE: 'Asia/Kolkata' } });
    const headers = tokenHeaders(await shop.admin());
    await insertOrders(shop, [{ created_at: Date.UTC(2026, 2, 1, 20) }]);
    const response = await sendCall(shop, 'listAllOrders', { query: { format: 'csv' }, headers });
    const [heading, order] = (await response.text()).split('\r\n');
    expect(heading).toContain('Number,Ordered (Asia/Kolkata),Status');
    expect(heading).toContain(',Shipped (Asia/Kolkata),');
    expect(order).toContain(',2026-03-02T01:30:00.000+05:30,');
  });

  test('GET /order?format=csv exports more orders than fit into a list, in every sort order', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const ids = await insertOrders(
      shop,
      Array.from({ length: 1234 }, (_, index) => ({ total: 1 + (index % 5) })),
    );
    for (const sort of ['-created', 'created', '-price', 'price']) {
      const response = await sendCall(shop, 'listAllOrders', {
        query: { format: 'csv', sort },
        headers: tokenHeaders(admin),
      });
      const rows = (await response.text()).trim().split('\r\n').slice(1);
      expect(rows).toHaveLength(ids.length);
      expect(new Set(rows.map((row) => row.split(',').at(-4)))).toEqual(new Set(ids));
      const totals = rows.map((row) => Number(row.split(',')[5]));
      const sorted = totals.toSorted((a, b) => (sort === 'price' ? a - b : b - a));
      if (sort.endsWith('price')) expect(totals).toEqual(sorted);
    }
  });

  test('GET /order?format=csv has the charged-back amount of a purchase only in the first of its rows', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const ids = await insertOrders(shop, [{}, { total: 900 }, { total: 1900 }]);
    const purchase = ids[1] ?? '';
    await db.updateTable('purchase').set({ charged_back: 2800 }).where('id', '=', purchase).execute();
    await db
      .updateTable('order_line')
      .set({ purchase_id: purchase, is_charged_back: 1 })
      .where('id', 'in', ids.slice(1))
      .execute();
    for (const [sort, charged] of [
      ['-price', ['28', '0', '0']],
      ['created', ['0', '28', '0']],
    ] as const) {
      const response = await sendCall(shop, 'listAllOrders', {
        query: { format: 'csv', sort },
        headers: tokenHeaders(await shop.admin()),
      });
      const rows = (await response.text()).trim().split('\r\n').slice(1);
      expect([sort, rows.map((row) => row.split(',')[10])]).toEqual([sort, charged]);
    }
  });

  test('an export ends with its connection, and keeps no transaction open', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const rows = Array.from({ length: 12_000 }, () => ({ address: 'x'.repeat(4000) }));
    await insertOrders(shop, rows);
    const { hostname, port } = new URL(shop.origin);
    const { statementsOf } = await recordStatements(async () => {
      await shop.listen();
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET /api/order?format=csv HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${admin.token}\r\n\r\n`,
      );
      // Read a tenth of the file. Leaving the loop closes the connection.
      let received = 0;
      for await (const chunk of socket) {
        received += (chunk as Buffer).length;
        if (received > 5_000_000) break;
      }
      expect(received).toBeGreaterThan(5_000_000);
    });
    // A listening shop also looks for due messages.
    const read = () => statementsOf(shop.database.db).filter(({ sql }) => !sql.includes('"mail"'));
    let before = 0;
    const hasEnded = () => {
      const last = before;
      before = read().length;
      return before > 0 && before === last;
    };
    await vi.waitUntil(hasEnded, { timeout: 20_000, interval: 500 });
    // The whole file would take 49 statements. Only a few batches fit into what was received and the socket's buffers.
    expect(before).toBeLessThan(40);
    expect(read().some(({ sql }) => /^(begin|start)/.test(sql))).toBe(false);
  }, 60_000);

  test('only an admin exports orders', async () => {
    await using shop = await startShop({ engine });
    const headers = tokenHeaders(await shop.signUp());
    const response = await sendCall(shop, 'listAllOrders', { query: { format: 'csv' }, headers });
    expect(await readProblem(response)).toMatchObject({ status: 403 });
  });
});
