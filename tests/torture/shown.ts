import { ApiError, type Client } from '../../web/client/client.ts';
import { type KeyedWrite, type Ledger, settleOrder } from './ledger.ts';

/**
 * Asks the shop for everything that it has answered, by its own calls, and gives what is missing or wrong.
 * Writes that nobody has heard of are sent again first: what the shop has is then exactly what is known of.
 */
export async function findLost(ledger: Ledger, origin: string, admin: Client): Promise<string[]> {
  const wrong = ledger.wrong.splice(0);
  for (const write of ledger.writes) await hearAgain(write, wrong);
  ledger.writes = ledger.writes.filter(({ id }) => id !== undefined);
  await findLostOrders(ledger, admin, wrong);
  await findLostPeople(ledger, admin, wrong);

  const products = await listAll((after) => admin.list('listProducts', { query: { after } }));
  const sold = new Set(products.map(({ _id }) => _id));
  for (const [id, { may }] of ledger.products) {
    if (!may.has(sold.has(id) ? 'sold' : 'gone'))
      wrong.push(`product ${id} is ${[...may]}, but shown: ${sold.has(id)}`);
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

/** Of a write that was answered, the last few: the same key gives the same id. Of the others: it is known now. */
async function hearAgain(write: KeyedWrite, wrong: string[]): Promise<void> {
  if (write.id !== undefined) return;
  try {
    write.id = await write.send();
    write.note(write.id);
  } catch (error) {
    // It was not done, and now it cannot be: sold out, say.
    if (!(error instanceof ApiError) || error.problem.status < 400 || error.problem.status >= 500)
      wrong.push(`a ${write.what} that was sent again: ${error}`);
    return;
  }
  const again = await write.send();
  if (again !== write.id) wrong.push(`a repeated ${write.what} gave ${again}, not ${write.id}`);
}

async function findLostOrders(ledger: Ledger, admin: Client, wrong: string[]): Promise<void> {
  const orders = await listAll((after) => admin.list('listAllOrders', { query: { after } }));
  const shown = new Map(orders.map((order) => [order._id, order]));
  for (const { _id } of orders) if (!ledger.orders.has(_id)) wrong.push(`order ${_id} was placed by nobody`);
  for (const [id, fact] of ledger.orders) {
    const order = shown.get(id);
    const state = order?.orderStatus ?? 'gone';
    if (!fact.may.has(state))
      wrong.push(`order ${id} is '${state}', but may be '${[...fact.may].join("' or '")}'`);
    else if (state !== '' && state !== 'expired') settleOrder(ledger, id, state);
    if (!order) continue;
    const same =
      order.orderId === fact.product &&
      order.orderQuantity === fact.pieces &&
      order.price === fact.price &&
      order.user === fact.customer.email;
    if (!same) wrong.push(`order ${id} is another one than was placed: ${JSON.stringify(order)}`);
    if (order.paid !== (order.transactionId !== undefined))
      wrong.push(`order ${id} is '${state}' with the transaction ${order.transactionId}`);
  }
}

async function findLostPeople(ledger: Ledger, admin: Client, wrong: string[]): Promise<void> {
  const users = await listAll((after) => admin.list('listUsers', { query: { after } }));
  const byEmail = new Map(users.map((user) => [user.email, user]));
  for (const { email, client, profile } of ledger.customers) {
    const user = byEmail.get(email);
    if (!user) {
      wrong.push(`${email} has signed up and is lost`);
      continue;
    }
    const may = [profile.saved?.address ?? '', ...profile.asked.map(({ address }) => address)];
    if (!may.includes(user.address))
      wrong.push(`${email} has the address '${user.address}', not '${may.join("' or '")}'`);
    profile.saved = {
      address: user.address,
      phone: user.phone,
      education: user.education,
      linkedIn: user.linkedIn,
    };
    profile.asked = [];
    // The session that was given has outlived the process.
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
