import { setTimeout } from 'node:timers/promises';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { ApiError, type Client } from '../../web/client/api/client.ts';
import { auditBooks, auditMoney, readBooks } from '../support/auditor.ts';
import { confirmState, type KeyedWrite, type Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import { letTimePass } from './time.ts';

/** Compares everything with the ledger and audits the books. */
export async function compareWithLedger(place: DatabaseLocation, load: Load): Promise<string[]> {
  const { ledger } = load;
  // This repeats writes that got no response, so read the books only afterwards.
  const differences = await findDifferences(load);
  const books = await readBooks(place);
  return [
    ...differences,
    ...auditBooks(books, ledger.products),
    ...findLostStockChanges(ledger, books.stockChanges),
  ];
}

/**
 * Lets time pass, starts the shop, and waits until its periodic work has settled all open payments and refunds (`auditMoney`).
 * Then compares.
 */
export async function compareSettled(
  place: DatabaseLocation,
  load: Load,
  start: () => Promise<unknown>,
): Promise<string[]> {
  await letTimePass(place, load.ledger);
  await start();
  let unsettled: string[] = [];
  for (const until = Date.now() + 30_000; Date.now() < until; await setTimeout(100)) {
    unsettled = auditMoney(await readBooks(place));
    if (unsettled.length === 0) break;
  }
  return [...unsettled, ...(await compareWithLedger(place, load))];
}

/**
 * Compares everything that the API shows with the ledger, and returns the differences. Writes without a response are
 * repeated first, so that the ledger is complete.
 */
async function findDifferences({ ledger, admins, connect }: Load): Promise<string[]> {
  const [admin] = admins;
  if (!admin) throw new Error('The load has no admin.');
  const differences = ledger.violations.splice(0);
  for (const write of ledger.writes) await resendWrite(write, differences);
  ledger.writes = ledger.writes.filter(({ id }) => id !== undefined);
  await compareOrders(ledger, admin, differences);
  await compareRefunds(ledger, admin, differences);
  await compareUsers(ledger, admin, differences);

  const products = await listAll((after) => admin.list('listProducts', { query: { after } }));
  const archived = await listAll((after) =>
    admin.list('listProducts', { query: { after, archived: 'true' } }),
  );
  const listed = new Set([...products, ...archived].map(({ _id }) => _id));
  for (const [id, { allowed }] of ledger.products) {
    if (!allowed.has(listed.has(id) ? 'on-sale' : 'deleted'))
      differences.push(
        `product ${id} is ${listed.has(id) ? '' : 'not '}listed, but may only be '${[...allowed].join("' or '")}'`,
      );
  }
  const reviews = await listAll((after) => admin.list('listReviews', { query: { after } }));
  const written = new Set(reviews.map(({ _id }) => _id));
  for (const id of ledger.reviews) if (!written.has(id)) differences.push(`review ${id} is lost`);
  for (const url of ledger.images) {
    const response = await connect('10.0.0.1').send(new URL(url, 'http://shop').pathname);
    if (response.status !== 200) differences.push(`image ${url}: ${response.status}`);
    await response.arrayBuffer();
  }
  return differences;
}

/** Confirmed stock changes that are not in the database, except for deleted products: their changes are deleted with them. */
function findLostStockChanges(ledger: Ledger, rows: readonly { id: string }[]): string[] {
  const found = new Set(rows.map(({ id }) => id));
  return [...ledger.stockChanges]
    .filter(([id, product]) => !found.has(id) && !ledger.products.get(product)?.allowed.has('deleted'))
    .map(([id]) => `stock change ${id} is lost`);
}

/** Sends a write that got no response twice more. Both responses must have the same id. */
async function resendWrite(write: KeyedWrite, differences: string[]): Promise<void> {
  if (write.id !== undefined) return;
  try {
    write.id = await write.send();
    write.onDone(write.id);
  } catch (error) {
    // A 4xx is fine: the first request was not executed, and the second is rejected, for example because the product is sold out.
    if (!(error instanceof ApiError) || error.problem.status < 400 || error.problem.status >= 500)
      differences.push(`a ${write.kind} that was sent again: ${error}`);
    return;
  }
  const repeated = await write.send();
  if (repeated !== write.id) differences.push(`a repeated ${write.kind} gave ${repeated}, not ${write.id}`);
}

async function compareOrders(ledger: Ledger, admin: Client, differences: string[]): Promise<void> {
  const orders = await listAll((after) => admin.list('listAllOrders', { query: { after } }));
  const found = new Map(orders.map((order) => [order._id, order]));
  for (const { _id } of orders)
    if (!ledger.orders.has(_id)) differences.push(`order ${_id} is not in the ledger`);
  for (const [id, entry] of ledger.orders) {
    const order = found.get(id);
    const state = order?.orderStatus ?? 'deleted';
    if (!entry.allowed.has(state))
      differences.push(`order ${id} is '${state}', but may only be '${[...entry.allowed].join("' or '")}'`);
    else if (state !== '' && state !== 'expired') confirmState(ledger, id, state);
    if (!order) continue;
    const { isGone, email } = entry.customer;
    const same =
      order.orderId === entry.product &&
      order.orderQuantity === entry.pieces &&
      order.price === entry.price &&
      order.user === (isGone ? '' : email);
    if (!same) differences.push(`order ${id} differs from the one placed: ${JSON.stringify(order)}`);
    if (order.paid !== (order.transactionId !== undefined))
      differences.push(`order ${id} is '${state}' with the transaction ${order.transactionId}`);
  }
}

/** Checks that confirmed refunds exist and have returned their pieces to stock. */
async function compareRefunds(ledger: Ledger, admin: Client, differences: string[]): Promise<void> {
  for (const [id, refunds] of Map.groupBy(ledger.refunds, ([, { order }]) => order)) {
    const order = await admin.call('getOrder', { params: { id } });
    const found = new Map(order.refunds?.map((refund) => [refund._id, refund]));
    for (const [refund, { restock }] of refunds) {
      const { restock: returned, status } = found.get(refund) ?? {};
      if (ledger.refusedRefunds.has(refund) && status !== 'failed')
        differences.push(`refund ${refund} of order ${id} was refused, but is ${status}`);
      // A refund that the provider has refused may return fewer pieces.
      if (status === 'failed' && returned !== undefined && returned <= restock) continue;
      if (returned !== restock)
        differences.push(
          `refund ${refund} of order ${id} has returned ${returned} pieces, not ${restock}; it is ${status}`,
        );
    }
  }
}

async function compareUsers(ledger: Ledger, admin: Client, differences: string[]): Promise<void> {
  const users = await listAll((after) => admin.list('listUsers', { query: { after } }));
  const byEmail = new Map(users.map((user) => [user.email, user]));
  for (const { email, client, profile, isGone } of ledger.customers) {
    const user = byEmail.get(email);
    if (isGone) {
      if (user) differences.push(`user ${email} is still there`);
      continue;
    }
    if (!user) {
      differences.push(`user ${email} is lost`);
      continue;
    }
    const allowed = [profile.saved?.address ?? '', ...profile.pending.map(({ address }) => address)];
    if (!allowed.includes(user.address))
      differences.push(`${email} has the address '${user.address}', not '${allowed.join("' or '")}'`);
    profile.saved = {
      address: user.address,
      phone: user.phone,
      education: user.education,
      linkedIn: user.linkedIn,
    };
    profile.pending = [];
    // The session must outlive the process.
    await client.call('listOwnOrders', { query: { user: email, limit: 1 } }).catch((error: unknown) => {
      differences.push(`${email}: ${error}`);
    });
  }
}

async function listAll<Row>(
  list: (after: string | undefined) => Promise<{ rows: Row[]; after: string | undefined }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after: string | undefined;
  do {
    const page = await list(after);
    rows.push(...page.rows);
    after = page.after;
  } while (after !== undefined);
  return rows;
}
