import { sql } from 'kysely';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { productFields } from '../contract/catalogue/product-fields.ts';
import { addMail } from '../server/mail/outbox.ts';
import { describeTables } from '../server/operations/backup/tables.ts';
import { engines } from './support/database.ts';
import { postImage } from './support/image-upload.ts';
import { waitForDelivery } from './support/letters.ts';
import { addPasskey, createDevice } from './support/passkeys.ts';
import { buy, placeOrder, refundOrder, shipOrder } from './support/payments.ts';
import { sendAuthRequest, sendCall, type TestUser, tokenHeaders } from './support/requests.ts';
import { startShop, type TestShop } from './support/shop.ts';

/** How a column with personal data of a user is exported and deleted. */
type ColumnPolicy = {
  /** The field of the export that contains the value, or why no field does. */
  in: string | { notExported: string };
  /** Why the value stays after the account has been deleted. Without a reason, it must be gone. */
  kept?: string;
};

const invoice = 'An invoice needs it, until ORDER_RETENTION_YEARS has passed.';
const auditLog = 'The audit log is append-only: it must show who did what, and to whom.';
const adminAction = 'What a user did as an admin stays attributed; the export lists it under `actions`.';
const secret = { notExported: 'A secret.' };
const technical = { notExported: 'An internal reference.' };
const gone = (field: string): ColumnPolicy => ({ in: field });

/** An admin's entries about a product are no personal data. */
const fieldColumns = Object.values(productFields)
  .map(({ column }) => column)
  .join(' ');

/** Every column, by table. `none` lists the columns without personal data of users; every other column has a policy. */
const policies: Record<string, { none: string; personal?: Record<string, ColumnPolicy> }> = {
  setting: { none: 'name value' },
  migration: { none: 'name applied_at' },
  lease: { none: 'name holder until' },
  last_time: { none: 'name at' },
  outage: { none: 'service since problem' },
  // The audit log names the admin who imported the file.
  imported_file: { none: 'digest import_id' },
  error_count: { none: 'hour what times last_at request_id' },
  trouble_report: { none: 'name latest reported_at' },
  product: {
    none: `${fieldColumns} id image available version archived_at stock_seq created_at rating_count rating_sum name_key category_key`,
    personal: { user_id: gone('products.name') },
  },
  further_image: { none: 'product_id position url' },
  product_word: { none: 'product_id word' },
  search_text: { none: 'number product_id name description' },
  search_number: { none: 'last' },
  search_entry: { none: 'tier word number' },
  search_word: { none: 'word' },
  search_form: { none: 'kind form word' },
  stock_change: {
    none: 'id product_id seq change level reason note order_id created_at',
    personal: {
      actor_id: {
        in: { notExported: 'The actions of admins are exported from the audit log.' },
        kept: adminAction,
      },
      actor: { in: 'actions.action', kept: adminAction },
    },
  },
  sales_by_day: { none: 'day currency orders revenue' },
  product_sales_by_day: { none: 'day currency product_id product_name pieces revenue' },
  recent_product_sales: { none: 'currency product_id product_name pieces revenue' },
  product_sales_by_period: { none: 'period currency product_id product_name pieces revenue' },
  unknown_payment: { none: 'intent amount currency purchase_id number outcome seen_at' },
  user: {
    none: '',
    personal: {
      id: { in: 'user._id', kept: 'The audit log names deleted accounts by their ids, which lead nowhere.' },
      name: gone('user.name'),
      email: gone('user.email'),
      emailVerified: gone('user.emailVerified'),
      image: { in: { notExported: 'Always null: the shop stores no picture from Google.' } },
      createdAt: gone('user.createdAt'),
      updatedAt: gone('user.updatedAt'),
      role: gone('actionsByAdmins.action'),
      address: gone('user.address'),
      phone: gone('user.phone'),
      education: gone('user.education'),
      linkedIn: gone('user.linkedIn'),
      twoFactorEnabled: gone('user.twoFactor'),
    },
  },
  user_word: { none: '', personal: { word: gone('user.name'), user_id: gone('user._id') } },
  session: {
    none: '',
    personal: {
      id: { in: technical },
      token: { in: secret },
      userId: gone('user._id'),
      expiresAt: gone('sessions.expiresAt'),
      createdAt: gone('sessions.createdAt'),
      updatedAt: gone('sessions.updatedAt'),
      ipAddress: gone('sessions.ipAddress'),
      userAgent: gone('sessions.userAgent'),
      secondFactor: gone('sessions.secondFactor'),
    },
  },
  account: {
    none: 'accessToken refreshToken idToken accessTokenExpiresAt refreshTokenExpiresAt scope',
    personal: {
      id: { in: technical },
      accountId: gone('user._id'),
      providerId: gone('signInMethods.method'),
      userId: gone('user._id'),
      password: { in: secret },
      createdAt: gone('signInMethods.createdAt'),
      updatedAt: gone('signInMethods.updatedAt'),
    },
  },
  twoFactor: {
    none: '',
    personal: {
      id: { in: technical },
      userId: gone('user._id'),
      secret: { in: secret },
      backupCodes: { in: secret },
      verified: gone('user.twoFactor'),
      failedVerificationCount: { in: { notExported: 'Counts guesses, for minutes.' } },
      lockedUntil: { in: { notExported: 'Limits guesses, for minutes.' } },
    },
  },
  passkey: {
    none: '',
    personal: {
      id: { in: technical },
      name: gone('passkeys.name'),
      publicKey: { in: technical },
      userId: gone('user._id'),
      credentialID: { in: technical },
      counter: { in: technical },
      deviceType: { in: technical },
      backedUp: gone('passkeys.synced'),
      transports: { in: technical },
      createdAt: gone('passkeys.createdAt'),
      aaguid: gone('passkeys.model'),
    },
  },
  verification: {
    none: 'createdAt updatedAt expiresAt',
    personal: { id: gone('otherAddresses.email'), identifier: { in: secret }, value: { in: 'user.email' } },
  },
  purchase: {
    none: 'id number currency total status created_at hold_until version refunded charged_back unassigned paid_at transaction_id account_deleted_at rate pickup hold_renewed days_min days_max arrives_from arrives_to send_by',
    personal: {
      user_id: gone('orders.user'),
      guest_email: gone('orders.user'),
      name: { in: 'orders.userName', kept: invoice },
      phone: gone('orders.phone'),
      address: { in: 'orders.address', kept: invoice },
      ship_to: gone('orders.shipTo'),
      bill_to: { in: 'orders.billTo', kept: invoice },
      remark: gone('orders.remark'),
    },
  },
  charge: { none: 'id purchase_id kind label amount refunded refund_pending owed' },
  refund_charge: { none: 'refund_id charge_id amount' },
  purchase_word: { none: 'number', personal: { word: { in: 'orders.address', kept: invoice } } },
  order_line: {
    none: 'id purchase_id product_id product_name quantity total status created_at refunded refund_pending owed refunded_quantity removed returned still_send is_charged_back shipped shipped_at carrier',
    personal: {
      user_id: gone('orders.user'),
      tracking_number: { in: 'orders.trackingNumber', kept: invoice },
      tracking_url: { in: 'orders.trackingNumber', kept: invoice },
    },
  },
  shipment: {
    none: 'id carrier created_at',
    personal: {
      name: { in: 'orders.shipments', kept: invoice },
      address: { in: 'orders.shipments', kept: invoice },
      tracking_number: { in: 'orders.shipments', kept: invoice },
      tracking_url: { in: 'orders.shipments', kept: invoice },
      actor_id: {
        in: { notExported: 'The actions of admins are exported from the audit log.' },
        kept: adminAction,
      },
      actor: { in: 'actions.action', kept: adminAction },
    },
  },
  shipment_line: { none: 'shipment_id order_line_id quantity' },
  payment: { none: 'id purchase_id attempt amount currency intent account state created_at' },
  refund: {
    none: 'id payment_id purchase_id amount currency reason status failure provider_id replaces still_send settled_at outcome created_at updated_at',
    personal: {
      note: { in: { notExported: 'A note for admins.' }, kept: invoice },
      actor_id: {
        in: { notExported: 'The actions of admins are exported from the audit log.' },
        kept: adminAction,
      },
      actor: { in: 'actions.action', kept: adminAction },
      settled_by_id: {
        in: { notExported: 'The actions of admins are exported from the audit log.' },
        kept: adminAction,
      },
      settled_by: { in: 'actions.action', kept: adminAction },
    },
  },
  refund_line: { none: 'id refund_id order_line_id amount quantity restock removed' },
  dispute: {
    none: 'id purchase_id intent amount currency reason status is_open respond_by decided_at created_at',
  },
  order_note: {
    none: 'id purchase_id created_at',
    personal: {
      text: { in: { notExported: 'A note for admins; the shopkeeper answers a formal request.' } },
      actor_id: {
        in: { notExported: 'The actions of admins are exported from the audit log.' },
        kept: adminAction,
      },
      actor: { in: 'actions.action', kept: adminAction },
    },
  },
  delivery_change: {
    none: 'id purchase_id created_at',
    personal: {
      actor_id: {
        in: { notExported: 'The actions of admins are exported from the audit log.' },
        kept: adminAction,
      },
      actor: { in: 'actions.action', kept: adminAction },
    },
  },
  address: {
    none: '',
    personal: { id: { in: technical }, user_id: gone('user._id'), value: gone('addresses.line1') },
  },
  basket: {
    none: 'created_at',
    personal: { id: gone('user._id'), user_id: gone('user._id'), token_hash: { in: secret } },
  },
  basket_line: {
    none: 'product_id product_name quantity added_at',
    personal: { basket_id: gone('basket.product') },
  },
  back_in_stock: {
    none: 'product_id requested_at',
    personal: { user_id: gone('backInStock.product'), stop_token: { in: secret } },
  },
  review: {
    none: 'id rating state hidden_reason version answer answered_at created_at product_id product_name',
    personal: {
      user_id: gone('reviews.email'),
      name: gone('reviews.name'),
      text: { in: 'reviews.reviews', kept: 'The text stays, under the name “Former customer”.' },
      image: gone('reviews.img'),
    },
  },
  review_report: {
    none: '',
    personal: {
      review_id: gone('reports.review'),
      user_id: gone('user._id'),
      reason: gone('reports.reason'),
      created_at: gone('reports.createdAt'),
    },
  },
  image: {
    none: 'width type created_at',
    personal: {
      id: gone('images.url'),
      hash: gone('images.url'),
      bytes: gone('images.url'),
      user_id: gone('images.url'),
    },
  },
  mail: {
    none: 'id kind about state attempts due_at give_up_at created_at sent_at',
    personal: { user_id: gone('messages.recipient'), recipient: gone('messages.recipient') },
  },
  mail_attempt: {
    none: 'mail_id attempt at',
    personal: { response: gone('messages.attempts') },
  },
  contact_message: {
    none: 'id created_at answered_at',
    personal: { email: gone('contactMessages.text'), text: gone('contactMessages.text') },
  },
  subscriber: {
    none: 'id',
    personal: {
      email: gone('newsletter.confirmedAt'),
      token: { in: secret },
      confirmed_at: gone('newsletter.confirmedAt'),
    },
  },
  audit: {
    none: 'id created_at action details quantity',
    personal: {
      actor_id: { in: 'user._id', kept: auditLog },
      actor: { in: 'actions.action', kept: auditLog },
      target: { in: 'actionsByAdmins.target', kept: auditLog },
      name: { in: 'actionsByAdmins.name', kept: auditLog },
    },
  },
  idempotency_key: {
    none: 'key request inserted_id created_at',
    personal: { scope: gone('user._id') },
  },
  rate_limit: {
    none: 'count ends_at',
    personal: {
      name: {
        in: { notExported: 'Counts attempts, for at most a day.' },
        kept: 'The window of a rate limit ends within a day.',
      },
    },
  },
};

const secrets = {
  address: '77 Quillstone Passage',
  phone: '+44 7700 900461',
  education: 'Guild of Quillwrights',
  linkedIn: 'in/zacharias-quill',
  note: 'Quarrelsome on the phone.',
  contact: 'Do you repair quillions?',
  remark: 'Leave it with the Quillfeathers.',
  userAgent: 'Quillscape Navigator 4',
  passkey: 'Quillphone',
  formerEmail: 'zacharias@former.example',
  requestedEmail: 'zacharias@requested.example',
};

/** A user with rows in every table that has personal data. */
async function createUser(shop: TestShop): Promise<TestUser> {
  const person = await shop.signUpConfirmed('Zacharias Quill');
  const { email } = person;
  const client = shop.client(person);
  const admin = shop.client(await shop.admin());
  const { db } = shop.database;
  const { address, phone, education, linkedIn, note, contact } = secrets;
  await client.call('saveUser', { params: { email }, body: { address, phone, education, linkedIn } });
  expect((await addPasskey(shop, person, createDevice(), secrets.passkey)).status).toBe(200);
  const product = await shop.addProduct({ a_quantity: 50 });
  const picture = sharp({ create: { width: 5, height: 5, channels: 3, background: '#4a7' } });
  const img = await postImage(shop, person, await picture.png().toBuffer());
  const own = db.selectFrom('user').select('id').where('email', '=', email);
  await db.updateTable('session').set({ userAgent: secrets.userAgent }).where('userId', '=', own).execute();
  await client.call('addReview', {
    body: { product: product._id, rating: 5, reviews: 'Good.', img },
    idempotencyKey: 'first-review',
  });
  const { insertedId: reviewId } = await admin.call('addReview', {
    body: { rating: 1, reviews: 'Bad.', img },
  });
  await client.call('reportReview', { params: { id: reviewId }, body: { reason: 'Advertising.' } });
  const { order } = await buy(shop, person, product);
  const shipTo = JSON.stringify({ name: person.name, line1: address, phone });
  const billTo = JSON.stringify({ name: person.name, line1: address });
  const checkout = { ship_to: shipTo, bill_to: billTo, remark: secrets.remark };
  await db
    .updateTable('purchase')
    .set({ address, phone, ...checkout })
    .execute();
  await admin.call('addOrderNote', { params: { id: order._id }, body: { text: note } });
  await refundOrder(admin, { params: { id: order._id }, body: { amount: 1, reason: 'other', note } });
  await placeOrder(shop, person, product);
  await client.call('addAddress', {
    body: { name: person.name, line1: address, city: 'Leeds', postcode: 'LS1 4AP', country: 'GB', phone },
  });
  await client.call('setBasketLine', { params: { id: product._id }, body: { quantity: 1 } });
  await db.updateTable('user').set({ emailVerified: true }).where('email', '=', email).execute();
  const soldOut = await shop.addProduct({ a_quantity: 0 });
  await client.call('requestBackInStock', { params: { id: soldOut._id } });
  // The user is an admin for a while, and performs every kind of action that records its admin.
  await admin.call('makeAdmin', { params: { email } });
  await client.call('adjustStock', {
    params: { id: product._id },
    body: { change: 5, reason: 'delivery' },
  });
  await client.call('addProduct', {
    body: {
      name: 'Broach',
      email,
      price: 1,
      o_quantity: 1,
      a_quantity: 1,
      description: 'Cuts.',
      img: product.img,
    },
  });
  await client.call('addOrderNote', { params: { id: order._id }, body: { text: note } });
  await shipOrder(client, {
    params: { id: order._id },
    body: { orderStatus: 'sipping', trackingNumber: '1Z5', trackingUrl: 'https://couriers.example/1Z5' },
  });
  await refundOrder(client, { params: { id: order._id }, body: { amount: 1, reason: 'other' } });
  await admin.call('removeAdmin', { params: { email } });
  await db.insertInto('contact_message').values({ id: '1', email, text: contact, created_at: 1 }).execute();
  await db.insertInto('subscriber').values({ id: '1', email, token: 't', confirmed_at: 1 }).execute();
  const { id } = await db
    .selectFrom('mail')
    .select('id')
    .where('recipient', '=', email)
    .limit(1)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('mail_attempt')
    .values({ mail_id: id, attempt: 1, at: 1, response: `250 <${email}> Ok` })
    .execute();
  await db.updateTable('mail').set({ state: 'sent', sent_at: 1 }).where('id', '=', id).execute();
  const now = new Date();
  const times = { createdAt: now, updatedAt: now, expiresAt: new Date(now.getTime() + 60_000) };
  await db
    .insertInto('verification')
    .values({ id: `reset password ${email}`, identifier: 'x', value: email, ...times })
    .execute();
  const { formerEmail, requestedEmail } = secrets;
  const { id: userId } = await own.executeTakeFirstOrThrow();
  await db
    .insertInto('verification')
    .values([
      { id: `undo address change ${formerEmail}`, identifier: 'y', value: userId, ...times },
      { id: `change address ${userId}`, identifier: 'z', value: requestedEmail, ...times },
    ])
    .execute();
  await addMail(db, [
    { kind: 'address changed', recipient: formerEmail, about: userId },
    { kind: 'change address', recipient: requestedEmail, about: userId },
  ]);
  await sendAuthRequest(
    shop,
    '/sign-in/email',
    { email, password: 'wrong password' },
    { origin: shop.origin },
  );
  return person;
}

describe.each(engines)('on %s', (engine) => {
  test('every column has no personal data, or a policy for its export and deletion', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const actual = [...(await describeTables(db, engine))].map(([table, { columns }]) => [
      table,
      Object.keys(columns).sort(),
    ]);
    const expected = Object.entries(policies).map(([table, { none, personal = {} }]) => [
      table,
      [...none.split(' ').filter(Boolean), ...Object.keys(personal)].sort(),
    ]);
    expect(Object.fromEntries(expected)).toEqual(Object.fromEntries(actual));
  });

  test('the export has each field that a policy names, and a deletion leaves only what is kept', async () => {
    await using shop = await startShop({ engine });
    const person = await createUser(shop);
    const { db } = shop.database;
    const { id } = await db
      .selectFrom('user')
      .select('id')
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow();
    const params = { email: person.email };
    const headers = tokenHeaders(person);
    const response = await sendCall(shop, 'exportUser', { params, headers });
    const file: unknown = await response.json();
    const missing = Object.entries(policies).flatMap(([table, { personal = {} }]) =>
      Object.entries(personal).flatMap(([column, { in: field }]) =>
        typeof field === 'string' && listValues(file, field.split('.')).length === 0
          ? [`${table}.${column}: ${field}`]
          : [],
      ),
    );
    expect(missing).toEqual([]);
    const text = JSON.stringify(file);
    const { note, ...exported } = secrets;
    for (const value of Object.values(exported)) expect(text).toContain(value);
    expect(text).not.toContain(note);

    const before = await findValues(shop, [person.email, person.name, id, ...Object.values(secrets)]);
    const body = { password: person.password };
    expect((await sendCall(shop, 'deleteUser', { params, body, headers })).status).toBe(200);
    // The message about the deletion is deleted once it is sent.
    await shop.listen();
    await waitForDelivery(shop);
    const after = await findValues(shop, [person.email, person.name, id, ...Object.values(secrets)]);
    const isKept = (place: string) => {
      const [table = '', column = ''] = place.split('.');
      return policies[table]?.personal?.[column]?.kept !== undefined;
    };
    expect(after.filter((place) => !isKept(place))).toEqual([]);
    // The deletion had something to delete.
    expect(before.length).toBeGreaterThan(25);
    for (const table of [
      'session',
      'account',
      'passkey',
      'basket_line',
      'back_in_stock',
      'idempotency_key',
      'verification',
      'subscriber',
    ])
      expect(before.map((place) => place.split('.')[0])).toContain(table);
  });
});

/** The values at a path of field names, in all elements of the lists on the way; empty lists do not count. */
function listValues(value: unknown, path: string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => listValues(element, path));
  const [field, ...rest] = path;
  if (field === undefined) return value === '' || value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return listValues(Object.entries(value).find(([name]) => name === field)?.[1], rest);
}

/** The columns, as `table.column`, in which one of the texts occurs. */
async function findValues({ database: { db, engine } }: TestShop, texts: string[]): Promise<string[]> {
  const places: string[] = [];
  for (const [table, { columns }] of await describeTables(db, engine)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db);
    for (const column of Object.keys(columns)) {
      const content = rows.map((row) => String(row[column]));
      if (texts.some((text) => content.some((value) => value.includes(text))))
        places.push(`${table}.${column}`);
    }
  }
  return places;
}
