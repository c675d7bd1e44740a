import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import sharp from 'sharp';
import type { NewProduct, Product } from '../../contract/products.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import {
  defaultResourceLimits as decidedBounds,
  type ResourceLimits,
} from '../../server/config/resource-limits.ts';
import { openDatabase } from '../../server/database/database.ts';
import type { Engine } from '../../server/database/schema.ts';
import { defaultRateLimits as decided, type RateLimits } from '../../server/http/rate-limit.ts';
import type { Person } from './ask.ts';
import { makeDatabase, makeFolder } from './database.ts';
import { doPeriodicWork, openLog, readConfig, start } from './parts.ts';
import { openDoor } from './people.ts';
import { findFreePort } from './port.ts';
import { sharedDecoder, sharedRenderer } from './shared-parts.ts';
import { markDemoPlanted } from './templates.ts';

export type TestShop = Awaited<ReturnType<typeof startShop>>;

type Options = {
  engine?: Engine;
  /** Settings as the environment has them: `{ SHOP_CURRENCY: 'EUR' }`. */
  settings?: Record<string, string>;
  rateLimits?: Partial<RateLimits>;
  resourceLimits?: Partial<ResourceLimits>;
  /** With the demo people, catalogue and reviews; otherwise the shop is empty. */
  demo?: boolean;
  /** A database that outlives the shop; otherwise the shop has one of its own, which is removed with it. */
  place?: DatabaseLocation;
  /** Whether this test makes the shop log errors; otherwise a logged error fails it. */
  logsErrors?: boolean;
  /** For tests about the image decoder's or the renderer's own life; other shops share one of each. */
  ownParts?: boolean;
  /** For tests about passwords: hashes them as in production. */
  fullPasswordCost?: boolean;
};

/** The cheapest that Argon2id allows. */
const passwordCost = { memory: 8, passes: 1, parallelism: 1 };

/**
 * The whole shop as `npm start` puts it together, stand-ins included, on a database of its own; it listens
 * only after `listen()`. Use it as `await using shop = await startShop()`, or end it with `close()`.
 */
export async function startShop(options: Options = {}) {
  const { engine = 'sqlite', demo = false, logsErrors = false, ownParts = false } = options;
  const { place, drop } = options.place
    ? keep(options.place)
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
    rateLimits: { ...decided, ...options.rateLimits },
    resourceLimits: { ...decidedBounds, ...options.resourceLimits },
    ...(options.fullPasswordCost ? {} : { passwordCost }),
    decoder: ownParts || options.resourceLimits?.decoder ? undefined : sharedDecoder(),
    renderer: ownParts ? undefined : sharedRenderer(),
  }).catch(async (error: unknown) => {
    await drop();
    throw error;
  });
  const { app, shop, sandbox } = running;
  const [origin] = config.origins;
  const door = openDoor(origin, app.fetch);

  /** Somebody new with the role of an admin. */
  async function admin(name = 'Ada'): Promise<Person> {
    const person = await door.signUp(name);
    await shop.database.db
      .updateTable('user')
      .set({ role: 'admin' })
      .where('email', '=', person.email)
      .execute();
    return person;
  }

  /** A new product: one that costs 12.50, of which 10 are there and one order takes 1 or more. */
  async function addProduct(fields: Partial<NewProduct> = {}): Promise<Product> {
    seller ??= admin();
    const { email, token } = await seller;
    const client = door.client(await seller);
    const form = new FormData();
    form.set('image', new Blob([await pixel]));
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
  let seller: Promise<Person> | undefined;

  async function close(): Promise<void> {
    await running.stop();
    await drop();
    if ('url' in place) rmSync(dataDir, { recursive: true, force: true });
    const errors = logged.filter(({ level }) => level >= 50);
    if (errors.length > 0 && !logsErrors) throw new Error(`The shop logged: ${JSON.stringify(errors)}`);
  }

  return {
    ...door,
    /** As `fetch`, with the network address that it comes from. */
    ask: app.fetch,
    origin,
    config,
    database: shop.database,
    admin,
    addProduct,
    /** The stand-in for Stripe: `shop.stripe.fail(…)`. */
    get stripe() {
      if (!sandbox) throw new Error('This shop has keys, and so no stand-in for Stripe.');
      return sandbox.stripe;
    },
    /** The stand-in for Google, reached only after `listen()`: `shop.google.failingPaths.add('token')`. */
    get google() {
      if (!sandbox) throw new Error('This shop has keys, and so no stand-in for Google.');
      return sandbox.google;
    },
    /** Does now what the shop does every few minutes. */
    doPeriodicWork: () => doPeriodicWork(shop),
    /** What it told the shopkeeper about the demo people. */
    told: running.describeDemo,
    /** What it logged, as JSON lines. */
    logged,
    /** Opens the port of `origin`. */
    listen: running.listen,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: '#8a5a12' } })
  .png()
  .toBuffer();

const keep = (place: DatabaseLocation) => ({ place, drop: async () => undefined });

async function markDemoPlantedAt(place: DatabaseLocation): Promise<void> {
  const database = await openDatabase(place);
  await markDemoPlanted(database);
  await database.close();
}
