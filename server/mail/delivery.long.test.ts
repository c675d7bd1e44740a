import { createServer } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dayMs } from '../../contract/durations.ts';
import { engines, makeDatabase } from '../../tests/support/database.ts';
import { type MailServer, startMailServer } from '../../tests/support/mail-server.ts';
import { openDatabase } from '../database/database.ts';
import type { Engine } from '../database/schema.ts';
import { openLog } from '../operations/log.ts';
import { createDelivery, startDelivery } from './delivery.ts';
import { addMail, claimMs, deleteOldMail, type NewMail, retryFailedMail } from './outbox.ts';
import { openTransport } from './transport.ts';

const log = openLog({ write: () => undefined });

async function openOutbox(engine: Engine, url: string, timeouts?: { connectMs: number; responseMs: number }) {
  const { place, drop } = await makeDatabase(engine, 'migrated');
  const database = await openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  const { db } = database;

  /** The delivery of one process. A new process does not know of earlier failures of the server, so it does not pause. */
  function startProcess(countRequests = () => 0) {
    const delivery = createDelivery({
      database,
      log,
      countRequests,
      onAttempt: () => undefined,
      openTransport: () => openTransport({ url, from: 'Shop <shop@shop.example>' }, timeouts),
      // A message without a subject has nothing left to report.
      compose: async ({ recipient, about: subject }) =>
        subject ? { to: recipient, subject, text: 'Hello there', html: '<p>Hello there</p>' } : undefined,
    });
    onTestFinished(delivery.close);
    return delivery;
  }

  return {
    database,
    db,
    startProcess,
    add: (...messages: Partial<NewMail>[]) =>
      addMail(
        db,
        messages.map((message) => ({
          kind: 'order placed',
          recipient: 'tom@mail.example',
          about: 'Hello',
          ...message,
        })),
      ),
    list: () => db.selectFrom('mail').selectAll().orderBy('id').execute(),
    listResponses: async () =>
      (await db.selectFrom('mail_attempt').selectAll().orderBy('mail_id').orderBy('attempt').execute()).map(
        ({ response }) => response,
      ),
    /** Lets time pass for all waiting messages. */
    age: (ms: number) =>
      db
        .updateTable('mail')
        .set((eb) => ({
          due_at: eb('due_at', '-', ms),
          give_up_at: eb('give_up_at', '-', ms),
          created_at: eb('created_at', '-', ms),
        }))
        .execute(),
  };
}

const readIds = ({ received }: MailServer) =>
  received.map(({ raw }) => /^Message-ID: <(.+)@shop\.example>\r$/im.exec(raw)?.[1]);

describe.each(engines)('on %s', (engine) => {
  test('sends a message over TLS with the password, once', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({});
    const delivery = outbox.startProcess();
    await delivery.sendDue();
    await delivery.sendDue();
    expect(server.received).toEqual([
      { to: ['tom@mail.example'], secure: true, user: 'shop', raw: expect.any(String) },
    ]);
    const [mail] = await outbox.list();
    expect(mail).toMatchObject({ state: 'sent', attempts: 1, sent_at: expect.any(Number) });
    expect(readIds(server)).toEqual([mail?.id]);
    expect(await outbox.listResponses()).toEqual([expect.stringMatching(/^250 /)]);
    expect(server.received[0]?.raw).toContain('Auto-Submitted: auto-generated');
  });

  test('sends messages about accounts before all others', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add(...Array.from({ length: 30 }, () => ({ dueAt: Date.now() - dayMs })));
    await outbox.add({ kind: 'reset password', recipient: 'ada@mail.example' });
    await outbox.startProcess().sendDue();
    expect(server.received).toHaveLength(31);
    // Five messages are sent at a time.
    expect(server.received.slice(0, 5).flatMap(({ to }) => to)).toContain('ada@mail.example');
  });

  test('does not send a message before it is due', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({ dueAt: Date.now() + dayMs });
    await outbox.startProcess().sendDue();
    expect(server.received).toHaveLength(0);
    await outbox.age(dayMs);
    await outbox.startProcess().sendDue();
    expect(server.received).toHaveLength(1);
  });

  test('leaves a message of a kind that only a later release can write', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({ dueAt: Date.now() - dayMs }, {});
    const [later] = await outbox.list();
    await sql`update mail set kind = 'later' where id = ${later?.id}`.execute(outbox.db);
    await outbox.startProcess().sendDue();
    expect(server.received).toHaveLength(1);
    expect((await outbox.list())[0]).toMatchObject({ kind: 'later', state: 'waiting', attempts: 0 });
  });

  test('keeps messages while the server is down for a day', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await server.close();
    await outbox.add({}, { recipient: 'ada@mail.example' });
    for (let hour = 0; hour < 24; hour++) {
      await outbox.startProcess().sendDue();
      await outbox.age(dayMs / 24);
    }
    expect(await outbox.listResponses()).toContainEqual(expect.stringContaining('ECONNREFUSED'));
    const again = await startMailServer({ port: server.port });
    await outbox.startProcess().sendDue();
    expect(again.received.flatMap(({ to }) => to).sort()).toEqual(['ada@mail.example', 'tom@mail.example']);
    expect(await outbox.list()).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
  });

  test('pauses after a server failure instead of trying every message', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await server.close();
    await outbox.add(...Array.from({ length: 30 }, () => ({})));
    const delivery = outbox.startProcess();
    await delivery.sendDue();
    await delivery.sendDue();
    const attempts = (await outbox.list()).map((mail) => mail.attempts);
    expect(attempts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5);
  });

  test('gives up after three days, and tries again when an admin asks', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await server.close();
    await outbox.add({});
    await outbox.age(3 * dayMs);
    await outbox.startProcess().sendDue();
    expect(await outbox.list()).toMatchObject([{ state: 'failed' }]);
    const again = await startMailServer({ port: server.port });
    await outbox.startProcess().sendDue();
    expect(again.received).toHaveLength(0);
    expect(await retryFailedMail(outbox.db)).toBe(1);
    await outbox.startProcess().sendDue();
    expect(again.received).toHaveLength(1);
  });

  test('fails a message whose recipient is permanently rejected, and sends the others', async () => {
    const server = await startMailServer();
    server.behaviour.rcptTo.set('gone@mail.example', { code: 550, message: 'No such user' });
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({ recipient: 'gone@mail.example' }, {}, {});
    await outbox.startProcess().sendDue();
    expect(await outbox.list()).toMatchObject([
      { recipient: 'gone@mail.example', state: 'failed', attempts: 1 },
      { state: 'sent' },
      { state: 'sent' },
    ]);
    expect(await outbox.listResponses()).toContainEqual('550 No such user');
    expect(server.received).toHaveLength(2);
  });

  test('tries a greylisted recipient again later, and waits longer each time', async () => {
    const server = await startMailServer();
    server.behaviour.rcptTo.set('tom@mail.example', { code: 451, message: 'Greylisted' });
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({});
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await outbox.startProcess().sendDue();
      const [mail] = await outbox.list();
      expect(mail).toMatchObject({ state: 'waiting', attempts: attempt });
      const wait = (mail?.due_at ?? 0) - Date.now();
      waits.push(Math.round(wait / 60_000));
      await outbox.age(wait);
    }
    expect(waits).toEqual([1, 5, 15]);
    server.behaviour.rcptTo.clear();
    await outbox.startProcess().sendDue();
    expect(await outbox.list()).toMatchObject([{ state: 'sent', attempts: 4 }]);
    expect(server.received).toHaveLength(1);
  });

  test('a wrong password or sender is a settings problem: no message fails', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({});
    server.accounts.set('shop', 'changed');
    await outbox.startProcess().sendDue();
    server.accounts.set('shop', 'pass word');
    server.behaviour.mailFrom = { code: 553, message: 'Sender not allowed' };
    await outbox.age(dayMs);
    await outbox.startProcess().sendDue();
    expect(await outbox.list()).toMatchObject([{ state: 'waiting', attempts: 2 }]);
    expect(await outbox.listResponses()).toEqual(['535 Wrong password', '553 Sender not allowed']);
  });

  test('sends a message again, with the same Message-ID, if the connection drops in the middle of DATA', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({});
    server.behaviour.data = 'drop';
    await outbox.startProcess().sendDue();
    expect(await outbox.list()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    server.behaviour.data = 'accept';
    await outbox.age(dayMs);
    await outbox.startProcess().sendDue();
    expect(readIds(server)).toEqual([(await outbox.list())[0]?.id]);
  });

  test('two processes do not send a message twice', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add(...Array.from({ length: 40 }, (_, index) => ({ about: `Message ${index}` })));
    const processes = [outbox.startProcess(), outbox.startProcess()];
    await Promise.all(processes.map((process) => process.sendDue()));
    expect(new Set(readIds(server)).size).toBe(40);
    expect(server.received).toHaveLength(40);
  });

  test('deletes a message a month after it was added, even if its id is older', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    // Like the reminder of a purchase that was placed months ago.
    await outbox.add({ id: '01900000-0000-7000-8000-000000000000-hold' });
    await outbox.startProcess().sendDue();
    await deleteOldMail(outbox.database);
    expect(await outbox.list()).toMatchObject([{ state: 'sent' }]);
    await outbox.age(31 * dayMs);
    await deleteOldMail(outbox.database);
    expect(await outbox.list()).toEqual([]);
  });

  test('a message that a killed process had claimed is sent later', async () => {
    const server = await startMailServer();
    const outbox = await openOutbox(engine, server.url);
    await outbox.add({});
    // As if the process was killed between the claim and the response.
    await outbox.db
      .updateTable('mail')
      .set({ attempts: 1, due_at: Date.now() + claimMs })
      .execute();
    await outbox.startProcess().sendDue();
    expect(server.received).toHaveLength(0);
    await outbox.age(claimMs);
    await outbox.startProcess().sendDue();
    expect(server.received).toHaveLength(1);
  });
});

test('a server on another machine gets nothing without TLS and a valid certificate', async () => {
  for (const [plain, response] of [
    [true, /command not recognized/],
    [false, /certificate/],
  ] as const) {
    const server = await startMailServer({ plain });
    // 0.0.0.0 reaches this machine, but is not a loopback address.
    const outbox = await openOutbox('sqlite', server.url.replace('127.0.0.1', '0.0.0.0'));
    await outbox.add({});
    await outbox.startProcess().sendDue();
    expect(await outbox.list()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    expect(await outbox.listResponses()).toEqual([expect.stringMatching(response)]);
    expect([server.logins, server.received]).toEqual([[], []]);
  }
});

test('an outage of the database is logged once, however often delivery is tried', async () => {
  const server = await startMailServer();
  const { db, add, startProcess } = await openOutbox('sqlite', server.url);
  const logged: string[] = [];
  const outageLog = openLog({ write: (line: string) => void logged.push(line) });
  const listErrors = () => logged.filter((line) => line.includes('mail could not be sent'));
  const delivery = startProcess();
  const checks = { started: 0, completed: 0 };
  const countedDelivery = {
    ...delivery,
    async sendDue() {
      checks.started += 1;
      await delivery.sendDue();
      checks.completed += 1;
    },
  };
  onTestFinished(startDelivery(countedDelivery, outageLog));
  const rename = (from: string, to: string) => db.schema.alterTable(from).renameTo(to).execute();

  for (const outage of [1, 2]) {
    await rename('mail', 'mail_away');
    const before = checks.started;
    await expect.poll(() => checks.started - before).toBeGreaterThan(3);
    await rename('mail_away', 'mail');
    await add({});
    await expect.poll(() => server.received.length).toBe(outage);
    // A later failure is logged again only once a check has succeeded, which also records the message as sent.
    const { completed } = checks;
    await expect.poll(() => checks.completed).toBeGreaterThan(completed);
    expect(listErrors()).toHaveLength(outage);
  }
});

test('connections that could not be opened are opened at the next attempt', async () => {
  const server = await startMailServer();
  const { database, add, age, list } = await openOutbox('sqlite', server.url);
  await add({});
  let attempts = 0;
  const delivery = createDelivery({
    database,
    log,
    countRequests: () => 0,
    onAttempt: () => undefined,
    async openTransport() {
      if (++attempts === 1) throw new Error('The package is missing.');
      return openTransport({ url: server.url, from: 'shop@shop.example' });
    },
    compose: async ({ recipient }) => ({ to: recipient, subject: 'Hello', text: 'Hello', html: 'Hello' }),
  });
  onTestFinished(delivery.close);
  await delivery.sendDue();
  expect(await list()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  await age(dayMs);
  await expect
    .poll(async () => {
      await delivery.sendDue();
      return server.received.length;
    })
    .toBe(1);
});

test('a slow recipient does not delay other messages', async () => {
  const server = await startMailServer();
  const outbox = await openOutbox('sqlite', server.url);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  server.behaviour.onMessage = ({ to }) => (to[0] === 'slow@mail.example' ? released : Promise.resolve());
  await outbox.add({ recipient: 'slow@mail.example' }, ...Array.from({ length: 20 }, () => ({})));
  const sending = outbox.startProcess().sendDue();
  await expect.poll(() => server.received.length).toBe(20);
  await outbox.add({});
  await expect.poll(() => server.received.length).toBe(21);
  release();
  await sending;
  expect(server.received).toHaveLength(22);
});

test('new messages are sent while the process stays busy', async () => {
  const server = await startMailServer();
  const outbox = await openOutbox('sqlite', server.url);
  // A thousand requests per second.
  const delivery = outbox.startProcess(() => performance.now());
  const started = performance.now();
  // The load is measured over at least 200 ms.
  await expect.poll(() => performance.now() - started).toBeGreaterThan(200);
  for (const count of [2, 3]) {
    await outbox.add(...Array.from({ length: count }, () => ({})));
    await delivery.sendDue();
  }
  expect(server.received).toHaveLength(5);
});

test('a busy process does not pause after messages that it drops', async () => {
  const server = await startMailServer();
  const outbox = await openOutbox('sqlite', server.url);
  const delivery = outbox.startProcess(() => performance.now());
  const started = performance.now();
  await expect.poll(() => performance.now() - started).toBeGreaterThan(200);
  // With pauses, this would exceed the timeout of the test.
  await outbox.add(...Array.from({ length: 400 }, () => ({ about: '' })), {});
  await delivery.sendDue();
  expect(server.received).toHaveLength(1);
  expect(await outbox.list()).toMatchObject([{ state: 'sent' }]);
});

test('messages wait if the server accepts connections but stays silent', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const outbox = await openOutbox('sqlite', `smtp://127.0.0.1:${port}`, {
    connectMs: 300,
    responseMs: 60_000,
  });
  await outbox.add({});
  await outbox.startProcess().sendDue();
  expect(await outbox.list()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  expect(await outbox.listResponses()).toEqual(['Greeting never received']);
});

test('a message waits if the server hangs after receiving it', async () => {
  const server = await startMailServer();
  server.behaviour.data = 'hang';
  const outbox = await openOutbox('sqlite', server.url, { connectMs: 15_000, responseMs: 500 });
  await outbox.add({});
  await outbox.startProcess().sendDue();
  expect(await outbox.list()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  expect(await outbox.listResponses()).toEqual(['Timeout']);
});

test('line breaks in a subject cannot add headers', async () => {
  const server = await startMailServer();
  const outbox = await openOutbox('sqlite', server.url);
  await outbox.add({ about: 'Hi\r\nBcc: eve@mail.example\r\n\r\nBody' });
  await outbox.startProcess().sendDue();
  const [{ raw = '', to } = { to: [] }] = server.received;
  expect(to).toEqual(['tom@mail.example']);
  expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc:/im);
});
