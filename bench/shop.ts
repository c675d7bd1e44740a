import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Product } from '../contract/catalogue/products.ts';
import type { Order } from '../contract/orders/orders.ts';
import type { Manifest } from '../contract/pages.ts';
import { registerSearchFunctions } from '../server/database/sqlite.ts';
import { findFreePort } from '../tests/support/port.ts';
import { buildRequest } from './generator.ts';

export type BenchShop = Awaited<ReturnType<typeof openShop>>;

type Person = { email: string; cookie: string; token: string };

export const root = join(import.meta.dirname, '..');

/**
 * Starts the shop as a process with the demo catalogue in a new folder, and on request the baseline on a copy of its
 * database. `settings` are environment variables.
 */
export async function openShop({ settings = {}, folder: existingFolder }: ShopOptions = {}) {
  const folder = existingFolder ?? makeFolder();
  const port = await findFreePort();
  const file = join(folder, 'shop.db');
  const isNew = !existsSync(file);
  const started = await startServer(port, folder, settings);
  const origin = `http://localhost:${port}`;
  // Change the products before the shop caches them.
  if (isNew && !settings.DATABASE_URL)
    withDatabaseFile(file, (database) =>
      // Remove the ratings, because the baseline does not compute them.
      database.exec(`update product set available = 1000000 where available < 1000000;
        update review set product_id = null, product_name = null`),
    );
  let baseline: ChildProcess | undefined;

  async function post(path: string, token: string, body: unknown): Promise<void> {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }

  return {
    port,
    origin,
    file,
    pid: started.child.pid ?? 0,
    /** Milliseconds until the shop accepted requests. */
    startMs: started.durationMs,
    /** Starts the baseline on a copy of the current data and returns its port. */
    async startBaseline(): Promise<number> {
      const copy = join(folder, 'baseline.db');
      withDatabaseFile(file, (database) => database.prepare('vacuum into ?').run(copy));
      baseline = spawn(process.execPath, [join(import.meta.dirname, 'baseline.ts'), copy], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return Number(await readFirstLine(baseline));
    },
    /** Signs in a demo user; returns the new session's cookie and token. */
    async signIn(email = 'customer@example.com'): Promise<Person> {
      const signInResponse = await fetch(`${origin}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'clockwork' }),
      });
      const cookie = signInResponse.headers
        .getSetCookie()
        .map((set) => set.split(';')[0])
        .join('; ');
      const response = await fetch(`${origin}/api/user/${email}`, {
        method: 'PUT',
        headers: { origin, cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      const { token }: { token: string } = await response.json();
      return { email, cookie, token };
    },
    /** The first twelve products, ordered by minimum quantity. */
    async products(): Promise<Product[]> {
      const products: Product[] = await (await fetch(`${origin}/api/products?limit=12`)).json();
      return products.toSorted((a, b) => a.o_quantity - b.o_quantity);
    },
    /** A raw request that places an order. */
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
    /** A raw request that places a purchase with a line for each of the products. */
    purchaseRequest: ({ token }: Person, products: Product[]) =>
      buildRequest(port, '/api/purchases', { authorization: `Bearer ${token}` }, describePurchase(products)),
    async uploadImage({ token }: Person) {
      const form = new FormData();
      form.set('image', new Blob([readShareImage()]));
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${origin}/1/upload?key=`, { method: 'POST', headers, body: form });
      if (!response.ok) throw new Error(await response.text());
    },
    /** Starts a payment and a sign-in with Google, so that both stand-ins are loaded. */
    async loadStandIns({ email, token }: Person) {
      const headers = { origin, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const [order]: Order[] = await (
        await fetch(`${origin}/api/orders?user=${email}&limit=1`, { headers })
      ).json();
      const requests = [
        ['/api/create-payment-intent', { price: order?.price, order: order?._id }],
        ['/api/auth/sign-in/social', { provider: 'google', callbackURL: '/' }],
      ] as const;
      for (const [path, body] of requests) {
        const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
        if (!response.ok) throw new Error(await response.text());
      }
    },
    placeOrder({ email, token }: Person, product: Product | undefined) {
      const { _id = '', price = 0 } = product ?? {};
      return post('/api/orders', token, { orderId: _id, orderQuantity: 1, price, user: email });
    },
    placePurchase: ({ token }: Person, products: Product[]) =>
      post('/api/purchases', token, describePurchase(products)),
    /** Reads or changes the database from outside. */
    withDatabase: <T>(work: (database: DatabaseSync) => T) => withDatabaseFile(file, work),
    async close() {
      for (const child of [started.child, baseline]) await stopProcess(child);
      if (!existingFolder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ShopOptions = {
  settings?: Record<string, string>;
  /** A data folder to keep, with its stock; by default a temporary one is used. */
  folder?: string;
};

const describePurchase = (products: Product[]) => ({
  lines: products.map(({ _id, o_quantity }) => ({ orderId: _id, orderQuantity: o_quantity })),
  price:
    products.reduce((cents, { price, o_quantity }) => cents + Math.round(price * 100) * o_quantity, 0) / 100,
});

export const makeFolder = () => mkdtempSync(join(tmpdir(), 'shop-bench-'));

/** An image to upload, 1200 pixels wide: the build's link preview. */
export function readShareImage(): Uint8Array<ArrayBuffer> {
  const { files }: Manifest = JSON.parse(readFileSync(join(root, 'dist', 'manifest.json'), 'utf8'));
  return new Uint8Array(readFileSync(join(root, 'dist', 'web', files['share.png'] ?? '')));
}

const { scripts }: { scripts: { start: string } } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** The arguments that `npm start` passes to Node. */
export const startArguments = scripts.start.split(' ').slice(1);

/** Starts the server with the flags of `npm start`, without npm, and waits until it accepts requests. */
async function startServer(port: number, folder: string, settings: Record<string, string>) {
  const { PATH = '' } = process.env;
  const startedAt = performance.now();
  const child = spawn(process.execPath, startArguments, {
    cwd: root,
    env: { PATH, DATA_DIR: folder, PORT: `${port}`, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await readFirstLine(child);
  return { child, durationMs: performance.now() - startedAt };
}

/** Settings of a live shop that calls nothing outside this machine. */
export const liveKeys = {
  SHOP_CURRENCY: 'USD',
  STRIPE_SECRET_KEY: 'sk_test_bench',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_bench',
  STRIPE_WEBHOOK_SECRET: 'whsec_bench',
  // Nothing listens at this address.
  STRIPE_API_URL: 'http://127.0.0.1:9',
  GOOGLE_SIGN_IN: 'off',
};

/** Converts the data of a closed sandbox for a shop with `liveKeys`. */
export const makeLive = (folder: string): void =>
  withDatabaseFile(join(folder, 'shop.db'), (database) =>
    database.exec("update setting set value = 'test' where name = 'mode'"),
  );

export async function readFirstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no stdout pipe.');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('The process ended without output.');
}

async function stopProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

export function withDatabaseFile<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5000 });
  registerSearchFunctions(database);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** A process's resident memory, in whole mebibytes. */
export function residentMegabytes(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' });
  return Math.round(Number(stdout.trim()) / 1024);
}
