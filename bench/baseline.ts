import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { uuidv7 } from 'uuidv7';
import { registerSearchFunctions } from '../server/database/sqlite.ts';

/**
 * The baseline: a minimal server that takes orders with only `node:http` and `node:sqlite`, without authentication, validation
 * or security headers. An order is one durable transaction that writes the same rows as the shop's.
 *
 * `node bench/baseline.ts <database>` (a copy of the shop's) prints its port.
 */
const database = new DatabaseSync(process.argv[2] ?? '');
database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16000');

// Triggers on `purchase` call these functions.
registerSearchFunctions(database);

const product = database.prepare('select * from product where id = ?');
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

type Row = Record<string, unknown>;

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

const server = createServer(async (request, response) => {
  const order = Buffer.concat(await Array.fromAsync(request)).toString();
  const body = JSON.stringify({ insertedId: placeOrder(JSON.parse(order)) });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
