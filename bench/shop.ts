import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import type { Order } from '../contract/orders.ts';
import type { Manifest } from '../contract/pages.ts';
import type { Product } from '../contract/products.ts';
import { findFreePort } from '../tests/support/port.ts';
import { buildRequest } from './generator.ts';

export type BenchShop = Awaited<ReturnType<typeof openShop>>;

type Person = { email: string; cookie: string; token: string };

export const root = join(import.meta.dirname, '..');

/**
 * The shop as it is in use, a process of its own with the demo catalogue on a new folder, and the floor on a
 * copy of its database. `settings` as in the environment.
 */
export async function openShop({ settings = {}, folder: given }: Options = {}) {
  const folder = given ?? makeFolder();
  const port = await findFreePort();
  const file = join(folder, 'shop.db');
  const started = await startServer(port, folder, settings);
  const origin = `http://localhost:${port}`;
  // Before the shop has kept anything of it.
  if (!settings.DATABASE_URL)
    withDatabaseFile(file, (database) =>
      database.exec('update product set available = 1000000 where available < 1000000'),
    );
  let floor: ChildProcess | undefined;

  return {
    port,
    origin,
    file,
    pid: started.child.pid ?? 0,
    /** Milliseconds until it was open. */
    startTook: started.took,
    /** Starts the floor on a copy of the data as they are now, and gives its port. */
    async startFloor(): Promise<number> {
      const copy = join(folder, 'floor.db');
      withDatabaseFile(file, (database) => database.prepare('vacuum into ?').run(copy));
      floor = spawn(process.execPath, [join(import.meta.dirname, 'floor.ts'), copy], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return Number(await readFirstLine(floor));
    },
    /** The demo customer, or another demo person: the cookie and the token of a new session. */
    async signIn(email = 'customer@example.com'): Promise<Person> {
      const signedIn = await fetch(`${origin}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'clockwork' }),
      });
      const cookie = signedIn.headers
        .getSetCookie()
        .map((set) => set.split(';')[0])
        .join('; ');
      const answered = await fetch(`${origin}/api/user/${email}`, {
        method: 'PUT',
        headers: { origin, cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      const { token }: { token: string } = await answered.json();
      return { email, cookie, token };
    },
    /** The first twelve, those of which one can be ordered before the others. */
    async products(): Promise<Product[]> {
      const products: Product[] = await (await fetch(`${origin}/api/products?limit=12`)).json();
      return products.toSorted((a, b) => a.o_quantity - b.o_quantity);
    },
    /** A request that places an order, as it goes over the wire. */
    orderRequest: ({ email, token }: Person, { _id, name, price }: Product) =>
      buildRequest(
        port,
        '/api/orders',
        { authorization: `Bearer ${token}` },
        {
          orderId: _id,
          product: name,
          orderQuantity: 1,
          price,
          user: email,
          userName: 'Tom Graham',
          phone: '',
          orderStatus: '',
        },
      ),
    async uploadPicture({ token }: Person) {
      const form = new FormData();
      form.set('image', new Blob([sharePicture()]));
      const headers = { authorization: `Bearer ${token}` };
      const answered = await fetch(`${origin}/1/upload?key=`, { method: 'POST', headers, body: form });
      if (!answered.ok) throw new Error(await answered.text());
    },
    /** Opens a payment and a sign-in with Google, so that both stand-ins are in memory. */
    async askStandIns({ email, token }: Person) {
      const headers = { origin, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const [order]: Order[] = await (
        await fetch(`${origin}/api/orders?user=${email}&limit=1`, { headers })
      ).json();
      const asked = [
        ['/api/create-payment-intent', { price: order?.price, order: order?._id }],
        ['/api/auth/sign-in/social', { provider: 'google', callbackURL: '/' }],
      ] as const;
      for (const [path, body] of asked) {
        const answered = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
        if (!answered.ok) throw new Error(await answered.text());
      }
    },
    async placeOrder({ email, token }: Person, product: Product | undefined) {
      const { _id = '', price = 0 } = product ?? {};
      const answered = await fetch(`${origin}/api/orders`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orderId: _id, orderQuantity: 1, price, user: email }),
      });
      if (answered.status !== 201) throw new Error(await answered.text());
    },
    /** An answer's body as it went over the wire, still compressed. */
    async rawBody(path: string, headers: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
      const sent = request({ port, path, headers: { host: `localhost:${port}`, ...headers } }).end();
      const [answered]: IncomingMessage[] = await once(sent, 'response');
      return new Uint8Array(answered ? await buffer(answered) : []);
    },
    /** Reads or changes the database from outside. */
    withDatabase: <T>(work: (database: DatabaseSync) => T) => withDatabaseFile(file, work),
    async close() {
      for (const child of [started.child, floor]) await stopProcess(child);
      if (!given) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Options = {
  settings?: Record<string, string>;
  /** A folder of data that outlives the shop; else it has one of its own. */
  folder?: string;
};

export const makeFolder = () => mkdtempSync(join(tmpdir(), 'shop-bench-'));

/** A picture as somebody may upload it, 1200 pixels wide: the build's own for previews elsewhere. */
function sharePicture(): Uint8Array<ArrayBuffer> {
  const { files }: Manifest = JSON.parse(readFileSync(join(root, 'dist', 'manifest.json'), 'utf8'));
  return new Uint8Array(readFileSync(join(root, 'dist', 'web', files['share.png'] ?? '')));
}

const { scripts }: { scripts: { start: string } } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** What `npm start` gives to Node. */
export const startArguments = scripts.start.split(' ').slice(1);

/** Runs the server as `npm start` does, with its flags, until it is open; what npm itself takes is not the shop's. */
async function startServer(port: number, folder: string, settings: Record<string, string>) {
  const { PATH = '' } = process.env;
  const began = performance.now();
  const child = spawn(process.execPath, startArguments, {
    cwd: root,
    env: { PATH, DATA_DIR: folder, PORT: `${port}`, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await readFirstLine(child);
  return { child, took: performance.now() - began };
}

export async function readFirstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('It says nothing.');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('It ended without a word.');
}

export async function stopProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

export function withDatabaseFile<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** What a process has in memory, in whole mebibytes. */
export function residentMegabytes(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' });
  return Math.round(Number(stdout.trim()) / 1024);
}
