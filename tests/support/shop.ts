import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { NewProduct, Product } from '../../contract/catalogue/products.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { defaultResourceLimits, type ResourceLimits } from '../../server/config/resource-limits.ts';
import { openDatabase } from '../../server/database/database.ts';
import type { Engine } from '../../server/database/schema.ts';
import { defaultRateLimits, type RateLimits } from '../../server/http/rate-limit.ts';
import { makeDatabase, makeFolder } from './database.ts';
import { pixelPng } from './image-upload.ts';
import { findFreePort } from './port.ts';
import type { TestUser } from './requests.ts';
import { createShopClient } from './shop-client.ts';
import {
  createDecoder,
  createRenderer,
  doPeriodicWork,
  openLog,
  readConfig,
  readManifest,
  start,
} from './shop-modules.ts';
import { markDemoPlanted } from './templates.ts';

export type TestShop = Awaited<ReturnType<typeof startShop>>;

type Options = {
  engine?: Engine;
  /** Environment variables, such as `{ SHOP_CURRENCY: 'EUR' }`. */
  settings?: Record<string, string>;
  rateLimits?: Partial<RateLimits>;
  resourceLimits?: Partial<ResourceLimits>;
  /** Adds the demo users, catalogue and reviews; otherwise the shop is empty. */
  demo?: boolean;
  /**
   * An existing database, which outlives the shop. By default the shop gets a new database, which is removed when the shop
   * closes.
   */
  place?: DatabaseLocation;
  /** By default, a logged error fails the test. */
  allowErrorLogs?: boolean;
  /**
   * Starts an image decoder and a renderer for this shop, for tests about starting and stopping them. Other shops share one of
   * each.
   */
  separateDecoderAndRenderer?: boolean;
  /** Hashes passwords as in production. */
  fullPasswordCost?: boolean;
};

/** The lowest cost that Argon2id allows. */
const passwordCost = { memory: 8, passes: 1, parallelism: 1 };

/**
 * Starts the complete shop in this process, stand-ins included, on its own database. It listens only after `listen()`.
 * Use it as `await using shop = await startShop()`, or end it with `close()`.
 */
export async function startShop(options: Options = {}) {
  const {
    engine = 'sqlite',
    demo = false,
    allowErrorLogs = false,
    separateDecoderAndRenderer = false,
  } = options;
  const { place, drop } = options.place
    ? existingDatabase(options.place)
    : await makeDatabase(engine, demo ? 'demo' : 'migrated');
  const dataDir = 'file' in place ? dirname(place.file) : makeFolder();
  const config = readConfig({
    PORT: `${await findFreePort()}`,
    DATA_DIR: dataDir,
    ...('url' in place ? { DATABASE_URL: place.url } : {}),
    ...options.settings,
  });
  if (options.place && !demo) await markDemoPlantedAt(config.database);

  const logged: { level: number; msg: string }[] = [];
  const log = openLog({ write: (line) => void logged.push(JSON.parse(line)) });
  const running = await start(config, {
    log,
    rateLimits: { ...defaultRateLimits, ...options.rateLimits },
    resourceLimits: { ...defaultResourceLimits, ...options.resourceLimits },
    ...(options.fullPasswordCost ? {} : { passwordCost }),
    decoder: separateDecoderAndRenderer || options.resourceLimits?.decoder ? undefined : getSharedDecoder(),
    renderer: separateDecoderAndRenderer ? undefined : getSharedRenderer(),
  }).catch(async (error: unknown) => {
    await drop();
    throw error;
  });
  // The first periodic work would otherwise change rows, or use up a fault, in the middle of a test.
  await running.firstPeriodicWork;
  const { app, shop, sandbox } = running;
  const [origin] = config.origins;
  const clients = createShopClient(origin, app.fetch);

  /** Signs up a new admin. */
  async function admin(name = 'Ada'): Promise<TestUser> {
    const person = await clients.signUp(name);
    await shop.database.db
      .updateTable('user')
      .set({ role: 'admin' })
      .where('email', '=', person.email)
      .execute();
    return person;
  }

  /** Signs up a user whose address is confirmed. */
  async function signUpConfirmed(name?: string): Promise<TestUser> {
    const person = await clients.signUp(name);
    await shop.database.db
      .updateTable('user')
      .set({ emailVerified: true })
      .where('email', '=', person.email)
      .execute();
    return person;
  }

  /** Adds a product. By default it costs 12.50 and has a stock of 10; the minimum quantity of an order is 1. */
  async function addProduct(fields: Partial<NewProduct> = {}): Promise<Product> {
    seller ??= admin();
    const { email, token } = await seller;
    const client = clients.client(await seller);
    const form = new FormData();
    form.set('image', new Blob([pixelPng]));
    const upload = await app.fetch(
      new Request(`${origin}/1/upload?key=`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      }),
    );
    const { data }: { data: { url: string } } = await upload.json();
    const { insertedId } = await client.call('addProduct', {
      body: {
        name: 'Pivot Gauge',
        email,
        price: 12.5,
        o_quantity: 1,
        a_quantity: 10,
        description: 'Measures pivots.',
        img: data.url,
        ...fields,
      },
    });
    return client.call('getProduct', { params: { id: insertedId } });
  }
  let seller: Promise<TestUser> | undefined;

  async function close(): Promise<void> {
    await running.stop();
    await drop();
    if ('url' in place) rmSync(dataDir, { recursive: true, force: true });
    const errors = logged.filter(({ level }) => level >= 50);
    if (errors.length > 0 && !allowErrorLogs) throw new Error(`The shop logged: ${JSON.stringify(errors)}`);
  }

  return {
    ...clients,
    /** Like `fetch`, with the client's IP address. */
    fetchFromAddress: app.fetch,
    origin,
    config,
    database: shop.database,
    log,
    admin,
    signUpConfirmed,
    addProduct,
    /** The stand-in for Stripe: `shop.stripe.fail(…)`. */
    get stripe() {
      if (!sandbox) throw new Error('This shop has API keys, so it has no stand-in for Stripe.');
      return sandbox.stripe;
    },
    /** The stand-in for Google, reachable only after `listen()`: `shop.google.failingPaths.add('token')`. */
    get google() {
      if (!sandbox) throw new Error('This shop has API keys, so it has no stand-in for Google.');
      return sandbox.google;
    },
    /** The stand-in's inbox. Messages are sent only after `listen()`. */
    get inbox() {
      if (!sandbox) throw new Error('This shop has API keys, so it has no stand-in for mail.');
      return sandbox.mail.inbox;
    },
    /** Runs the shop's periodic work once. It continues where `progress` says. */
    doPeriodicWork: (progress?: Parameters<typeof doPeriodicWork>[1]) => doPeriodicWork(shop, progress),
    /** The text about the demo users that `npm start` prints. */
    describeDemo: running.describeDemo,
    /** The parsed log lines. */
    logged,
    /** Opens the port of `origin`. */
    listen: running.listen,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const existingDatabase = (place: DatabaseLocation) => ({ place, drop: async () => undefined });

async function markDemoPlantedAt(place: DatabaseLocation): Promise<void> {
  const database = await openDatabase(place);
  await markDemoPlanted(database);
  await database.close();
}

// An image decoder is a process and a renderer a thread, which take longer to start than the rest of a shop. The shops
// of a worker share one of each.
let decoder: ReturnType<typeof createDecoder> | undefined;
let renderer: ReturnType<typeof createRenderer> | undefined;

/**
 * The timeouts are long: a busy machine may take seconds to start the decoder's process, and an idle decoder would have to be
 * started again.
 */
const getSharedDecoder = () =>
  (decoder ??= createDecoder({
    ...defaultResourceLimits.decoder,
    timeoutMs: 60_000,
    sharedTimeoutMs: 60_000,
    idleMs: 600_000,
  }));

function getSharedRenderer() {
  renderer ??= createRenderer({
    root: 'dist',
    manifest: readManifest('dist'),
    maxThreads: 1,
    report: failRun,
    reportOutput: failRun,
  });
  return renderer;
}

/** Vitest reports the unhandled rejection. */
const failRun = (error: unknown): void => void Promise.reject(error);
