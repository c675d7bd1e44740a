import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';
import { ApiError } from '../../web/client/api/client.ts';
import { createRandom } from '../load/random.ts';
import { engines, makeFolder, makeTestDatabase } from '../support/database.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';
import { createShopClient } from '../support/shop-client.ts';

const customers = 6;
const ordersPerRound = 12;
/** When the process is killed: after it has confirmed an order, or before or after the mail server accepts a message. */
const moments = ['order', 'message', 'acceptance', 'message', 'acceptance'] as const;
type Moment = (typeof moments)[number];

test.each(engines)(
  'on %s, killing the shop at any moment loses no message, and a message that arrives twice has the same Message-ID',
  { timeout: 180_000 },
  async (engine) => {
    const mailServer = await startMailServer();
    const shop = await startKillableShop(await makeTestDatabase(engine), mailServer);
    const people = await Promise.all(Array.from({ length: customers }, () => shop.signUp()));
    await shop.addStock();
    const products = (await shop.client().list('listProducts', {})).rows;
    const random = createRandom(inject('seed'));
    const confirmed = new Set<string>();
    let onMoment: (moment: Moment) => Promise<void> = async () => undefined;
    mailServer.behaviour.onMessage = () => onMoment('message');
    mailServer.behaviour.onAccepted = () => void onMoment('acceptance');

    /** Repeats the order with the same key until it is confirmed. */
    async function placeOrder(at: number): Promise<void> {
      const person = people[at % customers] ?? expect.unreachable();
      const { _id, price, o_quantity } = random.pick(products) ?? expect.unreachable();
      const body = {
        orderId: _id,
        orderQuantity: o_quantity,
        user: person.email,
        price: Math.round(price * 100 * o_quantity) / 100,
      };
      const idempotencyKey = randomUUID();
      for (let id: string | undefined; id === undefined; ) {
        await shop.ready();
        const placed = shop.client(person).call('placeOrder', { body, idempotencyKey });
        id = await placed.then(
          ({ insertedId }) => insertedId,
          (error: unknown) => {
            if (error instanceof ApiError && error.problem.status > 0) throw error;
            return undefined;
          },
        );
        if (id) confirmed.add(id);
      }
      void onMoment('order');
    }

    /** Messages that had been accepted when the process was killed, but not recorded as sent. */
    const unrecorded = new Set<string>();
    for (const moment of moments) {
      let count = 1 + random.below(ordersPerRound / 2);
      const { promise: killed, resolve } = Promise.withResolvers<void>();
      onMoment = async (current) => {
        if (current === moment && --count === 0) resolve(shop.kill());
        // The server accepts the message only after the process has been killed.
        if (current === 'message' && moment === 'message' && count <= 0) await killed;
      };
      const placing = Promise.all(Array.from({ length: ordersPerRound }, (_, index) => placeOrder(index)));
      await killed;
      onMoment = async () => undefined;
      await expect.poll(mailServer.countConnections).toBe(0);
      const accepted = new Set(mailServer.received.map(readId));
      for (const { id } of await shop.listMail('waiting')) if (accepted.has(id)) unrecorded.add(id);
      await shop.restart();
      await placing;
    }

    await expect.poll(() => shop.listMail('waiting'), { timeout: 60_000 }).toEqual([]);
    // Every committed order has one message, which was received, and there are no others.
    const sent = await shop.listMail('sent');
    const orders = await shop.listOrders();
    expect(orders.map(({ id }) => id)).toEqual(expect.arrayContaining([...confirmed]));
    expect(confirmed.size).toBe(moments.length * ordersPerRound);
    // Each customer's sign-up sends a message, too.
    const aboutOrders = sent.filter(({ kind }) => kind !== 'confirm address');
    expect(aboutOrders.map(({ about }) => about).sort()).toEqual(
      orders.map(({ purchase_id }) => purchase_id).sort(),
    );
    expect(sent.length - aboutOrders.length).toBe(customers);
    const received = mailServer.received.map(readId);
    expect(new Set(received)).toEqual(new Set(sent.map(({ id }) => id)));
    const repeated = received.filter((id, index) => received.indexOf(id) !== index);
    expect(repeated.length).toBeGreaterThan(0);
    expect([...unrecorded]).toEqual(expect.arrayContaining(repeated));
    expect(mailServer.received.every(({ secure, user }) => secure && user === 'shop')).toBe(true);
  },
);

const readId = ({ raw }: MailServer['received'][number]): string =>
  /^Message-ID: <(.+)@shop\.example>\r$/im.exec(raw)?.[1] ?? expect.unreachable();

/** Starts the shop as `npm start` does, with this mail server. */
async function startKillableShop(place: DatabaseLocation, { url }: MailServer) {
  const folder = 'file' in place ? place.file.replace(/shop\.db$/, '') : makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const settings = {
    PORT: `${await findFreePort()}`,
    DATA_DIR: folder,
    SMTP_URL: url,
    MAIL_FROM: 'Shop <shop@shop.example>',
    ...('url' in place ? { DATABASE_URL: place.url } : {}),
  };
  type Running = Awaited<ReturnType<typeof startServer>>;
  let server = Promise.withResolvers<Running>();
  startServer(settings).then(server.resolve, server.reject);
  const { origin } = await server.promise;
  const database = await openDatabase(place);
  onTestFinished(database.close);
  const { db } = database;
  return {
    ...createShopClient(origin, fetch),
    /** Resolves while the process is running. */
    ready: () => server.promise,
    /** Resolves once the process has ended. */
    async kill(): Promise<void> {
      const { kill } = await server.promise;
      server = Promise.withResolvers<Running>();
      expect(await kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    },
    /**
     * Starts the shop again. On SQLite, the new process ends the lease and the claims of the killed process. On PostgreSQL, they
     * expire after minutes, so this ends them.
     */
    async restart(): Promise<void> {
      if (database.engine === 'postgres') {
        await db.deleteFrom('lease').where('name', '=', 'mail').execute();
        await db.updateTable('mail').set({ due_at: 0 }).where('state', '=', 'waiting').execute();
      }
      startServer(settings).then(server.resolve, server.reject);
      await server.promise;
    },
    addStock: () => db.updateTable('product').set({ available: 1_000_000 }).execute(),
    listMail: (state: 'waiting' | 'sent') =>
      db.selectFrom('mail').select(['id', 'kind', 'about']).where('state', '=', state).execute(),
    listOrders: () => db.selectFrom('order_line').select(['id', 'purchase_id']).execute(),
  };
}
