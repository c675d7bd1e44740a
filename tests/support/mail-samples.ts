import { setTimeout as delay } from 'node:timers/promises';
import { hourMs } from '../../contract/durations.ts';
import type { MailKind } from '../../contract/mail.ts';
import { allowUndo } from '../../server/identity/recovery/former-addresses.ts';
import { addMail } from '../../server/mail/outbox.ts';
import { findUserId } from '../../server/shop/users/find-users.ts';
import { changeOrders } from './order-rows.ts';
import { buy, placeOrder, refundOrder, shipOrder } from './payments.ts';
import type { TestShop } from './shop.ts';

/** Texts that people and admins typed. */
type TypedTexts = { person: string; address: string; phone: string; product: string; message: string };

const plainTexts: TypedTexts = {
  person: 'Tom Graham',
  address: '12 Escapement Row\nCoventry CV1 5FB',
  phone: '024 7655 0148',
  product: 'Mainspring winder for pocket watches, with eight interchangeable arbors',
  message:
    'Good morning,\n\ndo you also have the depthing tool with a longer bed? I would need about 20 cm between the centres, for turret clocks.\n\nTom Graham',
};

/** Sends a message of every kind to the sandbox's inbox. Returns each as it was received, with its id in the inbox. */
export async function sendMailSamples(shop: TestShop, texts: Partial<TypedTexts> = {}) {
  const { person, address, phone, product: name, message } = { ...plainTexts, ...texts };
  const { db } = shop.database;
  const tom = await shop.signUp(person);
  const recipient = tom.email;
  const admin = await shop.admin();
  const product = await shop.addProduct({ name, price: 1234.5 });
  await db.updateTable('product').set({ low_stock: 10 }).where('id', '=', product._id).execute();
  const placeUnpaid = async () => (await placeOrder(shop, tom, product, 2)).purchase;
  const [unpaid, expired] = [await placeUnpaid(), await placeUnpaid()];
  await changeOrders(shop, { status: 'expired' }, expired);
  const { order } = await buy(shop, tom, product, 2);
  await db
    .updateTable('purchase')
    .set({ address, phone, name: person })
    .where('id', '=', order._id)
    .execute();
  await shipOrder(shop.client(admin), {
    params: { id: order._id },
    body: { orderStatus: 'sipping', trackingNumber: '1Z879E930346834440' },
  });
  const { id: parcel } = await db.selectFrom('shipment').select('id').executeTakeFirstOrThrow();
  await refundOrder(shop.client(admin), {
    params: { id: order._id },
    body: { amount: 5, reason: 'other', restock: 0 },
  });
  const refund = await db
    .selectFrom('refund')
    .selectAll()
    .where('purchase_id', '=', order.purchase)
    .executeTakeFirstOrThrow();
  const failed = {
    ...refund,
    id: 'failed',
    status: 'failed' as const,
    provider_id: 're_failed',
    settled_at: null,
  };
  await db.insertInto('refund').values(failed).execute();
  await db
    .insertInto('refund_line')
    .values({
      id: 'failed',
      refund_id: failed.id,
      order_line_id: order._id,
      amount: failed.amount,
      quantity: 0,
      restock: 0,
      removed: 0,
    })
    .execute();
  await db.updateTable('order_line').set({ owed: failed.amount }).where('id', '=', order._id).execute();
  await db
    .insertInto('contact_message')
    .values({ id: 'sample', email: 'ines@mail.example', text: message, created_at: Date.now() })
    .execute();
  const troubles = [
    {
      what: '2 messages could not be sent.',
      advice: 'The Mail section of the Health page shows the recipients and the mail server’s responses.',
    },
  ];

  const findId = async (email: string) => (await findUserId(db, email)) ?? '';
  const [tomId, adminId] = [await findId(recipient), await findId(admin.email)];
  const formerAddress = 'tom@old.example';
  await db.transaction().execute((tx) => allowUndo(tx, tomId, formerAddress));

  const { insertedId: review } = await shop.client(tom).call('addReview', {
    body: { rating: 4, reviews: message, img: product.img },
  });
  // As with `REVIEW_APPROVAL=yes`.
  const { created_at: reviewedAt } = await db
    .updateTable('review')
    .set({ state: 'pending' })
    .where('id', '=', review)
    .returning('created_at')
    .executeTakeFirstOrThrow();
  const reviewHour = Math.floor(reviewedAt / hourMs) * hourMs;

  const toTom = { userId: tomId };
  const toAdmin = { userId: adminId };
  /** The `about` of a message of each kind, and its recipient. A new kind needs a sample. */
  const samples: Record<MailKind, [about: string, to: string | { userId: string }]> = {
    'order placed': [unpaid, toTom],
    'hold ending': [unpaid, toTom],
    'order expired': [expired, toTom],
    'order deleted': [
      `K7QD-2M4X\n${JSON.stringify({ product_name: name, quantity: 2, image: product.img })}`,
      toTom,
    ],
    'order paid': [order.purchase, toTom],
    'order shipped': [parcel, toTom],
    'tracking added': [parcel, toTom],
    'tracking corrected': [parcel, toTom],
    'order refunded': [refund.id, toTom],
    'delivery changed': [order.purchase, toTom],
    'refund failed': [failed.id, toTom],
    'back in stock': [`token ${product._id}`, toTom],
    'new order': [order.purchase, toAdmin],
    'low stock': [product._id, toAdmin],
    'new reviews': [`${reviewHour}`, toAdmin],
    'health problem': [JSON.stringify(troubles), toAdmin],
    'confirm address': ['', recipient],
    'reset password': ['', recipient],
    'password changed': ['', recipient],
    'two-factor on': ['', recipient],
    'two-factor off': ['', recipient],
    'passkey added': ['', recipient],
    'passkey removed': ['', recipient],
    'change address': [tomId, 'tom@new.example'],
    'address changed': [tomId, formerAddress],
    'account deleted': ['', recipient],
    'contact message': ['sample', admin.email],
    newsletter: ['', recipient],
  };
  const kinds = Object.keys(samples) as MailKind[];
  // Delete the messages that the actions above have added.
  await db.deleteFrom('mail').execute();
  // The sign-up's message counts against the limit of its address.
  await db.deleteFrom('rate_limit').execute();
  await addMail(
    db,
    kinds.map((kind) => {
      const [about, to] = samples[kind];
      return {
        id: `sample-${kind.replaceAll(' ', '-')}`,
        kind,
        about,
        ...(typeof to === 'string' ? { recipient: to } : to),
      };
    }),
  );
  for (;;) {
    const inbox = await shop.inbox.list();
    const received = kinds.flatMap((kind) => {
      const start = `Message-ID: <sample-${kind.replaceAll(' ', '-')}@`;
      const message = inbox.find(({ raw }) => raw.includes(start));
      return message ? [{ kind, ...message }] : [];
    });
    if (received.length === kinds.length) return received;
    // Scripts outside Vitest use this, too, so it cannot poll with `expect`.
    await delay(50);
  }
}
