import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { uuidv7 } from 'uuidv7';
import { registerSearchFunctions } from '../server/database/sqlite.ts';
import { type Row, toProduct } from './product-row.ts';

/**
 * The baseline: a minimal server that sends the same bytes as the shop with only `node:http` and `node:sqlite`, without
 * authentication, validation or security headers. A list is queried and serialized for each request, a page is served
 * from memory, and an order is one durable transaction that writes the same rows as the shop's.
 *
 * `node bench/baseline.ts <database>` (a copy of the shop's) prints its port. POST /page sets the page that `/` serves.
 */
const database = new DatabaseSync(process.argv[2] ?? '');
database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000');

// The triggers of purchases name them.
registerSearchFunctions(database);

const products = database.prepare('select * from product order by id limit cast(? as integer)');
const product = database.prepare('select * from product where id = ?');
const reviews = database.prepare('select * from review order by id desc limit cast(? as integer)');
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');
const take = database.prepare(`
  update product set available = available - ?1, stock_seq = stock_seq + 1
  where id = ?2 and available >= ?1 returning stock_seq, available`);
const insertStockChange = database.prepare(`
  insert into stock_change (id, product_id, seq, change, level, reason, note, actor, order_id, created_at)
  values (?1, ?2, ?3, ?4, ?5, 'sale', '', '', ?1, ?6)`);
const findUser = database.prepare('select id from "user" where email = ?');
const insertPurchase = database.prepare(`
  insert into purchase (id, number, user_id, name, phone, address, currency, total, status, created_at, hold_until)
  values (?, ?, ?, 'Tom Graham', '', '', 'USD', ?, '', ?, ?)`);
const insertOrder = database.prepare(`
  insert into order_line (id, purchase_id, user_id, product_id, product_name, quantity, total, status, created_at)
  values (?1, ?1, ?2, ?3, ?4, ?5, ?6, '', ?7)`);
const insertMail = database.prepare(`
  insert into mail (id, kind, user_id, recipient, about, state, due_at, give_up_at, created_at)
  values (?1, 'order placed', ?2, '', ?3, 'sent', ?4, ?5, ?4)`);

let page: Buffer = Buffer.alloc(0);

const toReview = (row: Row) => ({
  _id: row.id,
  name: row.name,
  rating: row.rating,
  reviews: row.text,
  img: row.image,
  createdAt: new Date(Number(row.created_at)).toISOString(),
});

function placeOrder(order: { orderId: string; orderQuantity: number; user: string }): string {
  const id = uuidv7();
  const { orderId, orderQuantity: quantity, user } = order;
  begin.run();
  const row: Row = product.get(orderId) ?? {};
  const taken: Row | undefined = take.get(quantity, orderId);
  if (!taken) throw new Error('out of stock');
  const total = Number(row.price) * quantity;
  const now = Date.now();
  insertStockChange.run(id, orderId, Number(taken.stock_seq), -quantity, Number(taken.available), now);
  const holdUntil = now + 259_200_000;
  const customer: Row = findUser.get(user) ?? {};
  const userId = `${customer.id}`;
  insertPurchase.run(id, randomBytes(4).toString('hex'), userId, total, now, holdUntil);
  insertOrder.run(id, userId, orderId, `${row.name}`, quantity, total, now);
  insertMail.run(uuidv7(), userId, id, now, holdUntil);
  commit.run();
  return id;
}

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function readBody(request: AsyncIterable<Buffer>, done: (body: Buffer) => void): void {
  void Array.fromAsync(request).then((chunks) => done(Buffer.concat(chunks)));
}

const server = createServer((request, response) => {
  const { url = '/', method } = request;
  const json = (value: unknown) => send(response, 'application/json', JSON.stringify(value));
  if (url === '/' && method === 'GET') {
    response.setHeader('content-encoding', 'br');
    return send(response, 'text/html; charset=utf-8', page);
  }
  if (url.startsWith('/api/products/')) return json(toProduct(product.get(url.slice(14)) ?? {}));
  if (url.startsWith('/api/products')) return json(products.all(12).map(toProduct));
  if (url.startsWith('/api/reviews')) return json(reviews.all(1000).map(toReview));
  if (url === '/page') {
    return readBody(request, (body) => {
      page = body;
      json({});
    });
  }
  readBody(request, (body) => json({ insertedId: placeOrder(JSON.parse(body.toString())) }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
