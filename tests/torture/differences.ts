import { ApiError, type Client } from '../../web/client/client.ts';
import { confirmState, type KeyedWrite, type Ledger } from './ledger.ts';

/**
 * Compares everything that the API shows with the ledger, and returns the differences. Writes without a response are
 * repeated first, so that the ledger is complete.
 */
export async function findDifferences(ledger: Ledger, origin: string, admin: Client): Promise<string[]> {
  const wrong = ledger.violations.splice(0);
  for (const write of ledger.writes) await resendWrite(write, wrong);
  ledger.writes = ledger.writes.filter(({ id }) => id !== undefined);
  await compareOrders(ledger, admin, wrong);
  await compareUsers(ledger, admin, wrong);

  const products = await listAll((after) => admin.list('listProducts', { query: { after } }));
  const sold = new Set(products.map(({ _id }) => _id));
  for (const [id, { allowed }] of ledger.products) {
    if (!allowed.has(sold.has(id) ? 'sold' : 'gone'))
      wrong.push(`product ${id} is ${[...allowed]}, but shown: ${sold.has(id)}`);
  }
  const reviews = await listAll((after) => admin.list('listReviews', { query: { after } }));
  const written = new Set(reviews.map(({ _id }) => _id));
  for (const id of ledger.reviews) if (!written.has(id)) wrong.push(`review ${id} is lost`);
  for (const path of ledger.pictures) {
    const picture = await fetch(new URL(path, origin));
    if (picture.status !== 200) wrong.push(`picture ${path}: ${picture.status}`);
    await picture.arrayBuffer();
  }
  return wrong;
}

/** Repeats a write without a response, twice: the same key must return the same id. */
async function resendWrite(write: KeyedWrite, wrong: string[]): Promise<void> {
  if (write.id !== undefined) return;
  try {
    write.id = await write.send();
    write.onDone(write.id);
  } catch (error) {
    // It had not been executed and is now rejected, for example because the product is sold out.
    if (!(error instanceof ApiError) || error.problem.status < 400 || error.problem.status >= 500)
      wrong.push(`a ${write.kind} that was sent again: ${error}`);
    return;
  }
  const again = await write.send();
  if (again !== write.id) wrong.push(`a repeated ${write.kind} gave ${again}, not ${write.id}`);
}

async function compareOrders(ledger: Ledger, admin: Client, wrong: string[]): Promise<void> {
  const orders = await listAll((after) => admin.list('listAllOrders', { query: { after } }));
  const shown = new Map(orders.map((order) => [order._id, order]));
  for (const { _id } of orders) if (!ledger.orders.has(_id)) wrong.push(`order ${_id} is not in the ledger`);
  for (const [id, fact] of ledger.orders) {
    const order = shown.get(id);
    const state = order?.orderStatus ?? 'gone';
    if (!fact.allowed.has(state))
      wrong.push(`order ${id} is '${state}', but may be '${[...fact.allowed].join("' or '")}'`);
    else if (state !== '' && state !== 'expired') confirmState(ledger, id, state);
    if (!order) continue;
    const same =
      order.orderId === fact.product &&
      order.orderQuantity === fact.pieces &&
      order.price === fact.price &&
      order.user === fact.customer.email;
    if (!same) wrong.push(`order ${id} differs from the one placed: ${JSON.stringify(order)}`);
    if (order.paid !== (order.transactionId !== undefined))
      wrong.push(`order ${id} is '${state}' with the transaction ${order.transactionId}`);
  }
}

async function compareUsers(ledger: Ledger, admin: Client, wrong: string[]): Promise<void> {
  const users = await listAll((after) => admin.list('listUsers', { query: { after } }));
  const byEmail = new Map(users.map((user) => [user.email, user]));
  for (const { email, client, profile } of ledger.customers) {
    const user = byEmail.get(email);
    if (!user) {
      wrong.push(`user ${email} is lost`);
      continue;
    }
    const may = [profile.saved?.address ?? '', ...profile.pending.map(({ address }) => address)];
    if (!may.includes(user.address))
      wrong.push(`${email} has the address '${user.address}', not '${may.join("' or '")}'`);
    profile.saved = {
      address: user.address,
      phone: user.phone,
      education: user.education,
      linkedIn: user.linkedIn,
    };
    profile.pending = [];
    // The session must outlive the process.
    await client.call('listOwnOrders', { query: { user: email, limit: 1 } }).catch((error: unknown) => {
      wrong.push(`${email}: ${error}`);
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
