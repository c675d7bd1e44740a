import { findPackageJSON } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import { contract } from '../contract/contract.ts';
import { dayMs } from '../contract/durations.ts';
import type { MailEntry } from '../contract/mail.ts';
import type { Manifest } from '../contract/pages.ts';
import { apiBase } from '../contract/paths.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { openDemo } from '../seed/demo.ts';
import { createApp } from './app.ts';
import type { Config } from './config/config.ts';
import { defaultCurrency } from './config/currency.ts';
import { loadOnce } from './config/load-once.ts';
import { defaultResourceLimits, type ResourceLimits } from './config/resource-limits.ts';
import { watchChanges } from './database/changes.ts';
import { claimCurrency } from './database/currency.ts';
import { lockDataDir } from './database/data-dir.ts';
import { claimDatabase, connect, openDatabase } from './database/database.ts';
import { endLeases } from './database/lease.ts';
import { listen } from './http/connections/listen.ts';
import { createReadiness } from './http/connections/readiness.ts';
import {
  consumeRateLimit,
  consumeRateLimits,
  createFairQueue,
  defaultRateLimits,
  type RateLimits,
} from './http/rate-limit.ts';
import type { App } from './http/request-context.ts';
import { createResponseCache } from './http/response-cache.ts';
import { authBase } from './identity/calls.ts';
import type { PasswordCost } from './identity/credentials.ts';
import { createPasswordQueue } from './identity/password-attempts.ts';
import { createIdentityRoutes } from './identity/routes.ts';
import { authSecret } from './identity/secret.ts';
import { createDelivery, startDelivery } from './mail/delivery.ts';
import { endClaims } from './mail/outbox.ts';
import { openTransport } from './mail/transport.ts';
import { startHealthNotes } from './operations/health/notes.ts';
import { createPaymentCheck } from './operations/health/payment-check.ts';
import { createRouteNamer } from './operations/metrics/route-names.ts';
import { openObservability } from './operations/observability.ts';
import { startPeriodicWork } from './operations/periodic-work.ts';
import { createFrameReader } from './pages/frame.ts';
import { createPages, readManifest, toWebSettings } from './pages/pages.ts';
import { createRenderer, type Renderer } from './pages/renderer.ts';
import { moveAddress } from './shop/account-data/move-address.ts';
import { createShippingReader } from './shop/delivery/shipping.ts';
import { createDecoder, type Decoder } from './shop/images/decoder/decoder.ts';
import { createImageCheck, createImageHost } from './shop/images/upload.ts';
import { composeMail } from './shop/mail/compose.ts';
import { createProvider } from './shop/payments/provider.ts';
import type { Shop } from './shop/shop.ts';

/** The build's folder, which may contain this file (`scripts/bundle.ts`). */
const dist = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'dist');

type Options = {
  log: Logger;
  rateLimits?: RateLimits;
  resourceLimits?: ResourceLimits;
  passwordCost?: PasswordCost;
  /** Tests share one decoder and one renderer between all shops in a process. By default, the shop creates its own. */
  decoder?: Decoder | undefined;
  renderer?: Renderer | undefined;
};

/** Starts the shop. `toOperatorMessage` describes the errors that it throws. */
export async function start(config: Config, options: Options) {
  const cleanup = new AsyncDisposableStack();
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= cleanup.disposeAsync());
  const failStart = async (error: unknown): Promise<never> => {
    // Report the original error, not a failure during cleanup.
    await stop().catch(() => undefined);
    throw error;
  };
  const { openPort, ...parts } = await assemble(config, options, cleanup).catch(failStart);
  return {
    ...parts,
    listen: async () => void cleanup.defer(await openPort().catch(failStart)),
    /** Finishes pending requests and releases everything. Later calls wait for the first. */
    stop,
  };
}

/** Creates all parts in dependency order, and registers the release of each with `cleanup`. */
async function assemble(config: Config, options: Options, cleanup: AsyncDisposableStack) {
  const { log, rateLimits = defaultRateLimits, resourceLimits = defaultResourceLimits } = options;
  cleanup.defer(lockDataDir(config));
  const manifest = readManifest(dist);
  const renderer = options.renderer ?? cleanup.adopt(startRenderer(manifest, log), (own) => own.stop());
  const observing = cleanup.adopt(await openObservability(config, log), (own) => own.stop());
  const { databaseObserver } = observing;
  const database = await openDatabase(config.database, databaseObserver, resourceLimits.databaseTimeoutMs);
  cleanup.defer(database.close);
  const id = await claimDatabase(database, config.mode);
  await claimCurrency(database, config.currency ?? defaultCurrency);
  await endLeases(database);
  await endClaims(database);

  let app: App | undefined;
  let sandbox: Awaited<ReturnType<typeof openStandIns>> | undefined;
  let { services } = config;
  if (!services) {
    sandbox = await openStandIns(config, resourceLimits.databaseTimeoutMs, log, () => app);
    cleanup.defer(sandbox.close);
    services = sandbox.settings;
  }

  const secret = authSecret(config);
  const demo = sandbox && (await openDemo(config, database));
  const passwordQueue = createPasswordQueue();
  const identity = createIdentityRoutes({
    config,
    database,
    secret,
    log,
    google: services.google,
    limits: rateLimits,
    passwordCost: options.passwordCost,
    passwordQueue,
    moveAddress,
  });
  const decoder =
    options.decoder ?? cleanup.adopt(createDecoder(resourceLimits.decoder), (own) => own.stop());
  const images = createImageHost({
    database,
    decoder,
    maxUploadBytes: resourceLimits.maxUploadBytes,
    countUpload: (id) => consumeRateLimits(database, { [`upload ${id}`]: rateLimits.uploadsPerUser }),
    countBytes: async (tx, { id, role }, bytes) => {
      if (role === 'admin') return;
      const options = { windowMs: dayMs, amount: bytes, message: 'Too many images' };
      await consumeRateLimit(tx, `image bytes ${id}`, rateLimits.imageBytesPerUser, options);
    },
  });
  const { maxRendersPerAddress, maxConcurrentRequests } = resourceLimits;
  const renderQueue = createFairQueue(maxRendersPerAddress, maxConcurrentRequests);
  const postQueue = createFairQueue(maxRendersPerAddress, maxConcurrentRequests);
  const currency = config.currency ?? defaultCurrency;
  const shipping = createShippingReader(database.db);
  const readShownShipping = shipping.read;
  const frame = createFrameReader({ config, database, currency, readShownShipping });
  const pages = createPages({
    settings: toWebSettings(config, services),
    readFrame: frame.read,
    stripeApiUrl: services.stripe.apiUrl,
    root: dist,
    manifest,
    renderer,
    report: (error, requestId) => log.error({ error, requestId }, 'a page could not be rendered'),
  });
  const nameOf = createRouteNamer(manifest.paths);
  const responseCache = createResponseCache({ config, nameOf, renderQueue });
  const clearCaches = () => {
    shipping.clear();
    frame.clear();
    responseCache.clear();
  };
  const changes = cleanup.adopt(watchChanges(database, clearCaches, log), (own) => own.stop());
  const notes = cleanup.adopt(startHealthNotes(database, log), (own) => own.stop());
  const paymentCheck = cleanup.adopt(createPaymentCheck(notes.recordService), (own) => own.stop());
  const { recordService } = paymentCheck;
  const sendToProvider = observing.traceProvider(sandbox?.stripe.fetch ?? fetch);
  const shop: Shop = {
    config,
    database,
    provider: createProvider(services.stripe, sendToProvider, 'person', recordService),
    backgroundProvider: createProvider(services.stripe, sendToProvider, 'background', recordService),
    rateLimits,
    passwordQueue,
    log,
    id,
    currency,
    secret,
    sendsMail: config.sendsMail,
    checkImage: createImageCheck(config),
    invalidateCache: () => changes.invalidateCaches(),
    invalidateStock: () => changes.invalidateCaches(responseCache.clear),
    readShownShipping,
    recordTime: notes.recordTime,
    recordService,
    countEvent: observing.countEvent,
  };
  await paymentCheck.start(shop.backgroundProvider.check, database);
  const readiness = createReadiness(database, log);
  const metrics = observing.createMetricsPage(database);
  app = createApp(shop, {
    identity,
    images,
    pages,
    responseCache,
    renderQueue,
    postQueue,
    readiness,
    metrics,
    standIns: sandbox,
  });
  const periodicWork = startPeriodicWork(shop);
  cleanup.defer(periodicWork.stop);

  const mounted = sandbox && { prefix: '/sandbox/google', listener: sandbox.google.listener };
  const observer = observing.createRequestObserver(nameOf);
  const served = { app: observing.traceApp(app), responseCache, readiness, observer, mounted };
  return {
    app,
    shop,
    sandbox,
    /** Resolves when the first periodic work has ended. Requests need not wait for it; tests do. */
    firstPeriodicWork: periodicWork.firstRun,
    /** Call it after `listen`. */
    describeDemo: async () => (await demo?.describe()) ?? '',
    async openPort(): Promise<() => Promise<void>> {
      const closePort = await listen(config, resourceLimits, served, demo?.secure);
      const stopMail = shop.sendsMail
        ? startMail(shop, manifest, observing.countRequests, sandbox?.mail)
        : undefined;
      return async () => {
        try {
          await closePort();
        } finally {
          await stopMail?.();
        }
      };
    },
  };
}

/** Starts delivering the outbox, in the sandbox to the stand-in mail server. Returns a function that stops the delivery. */
function startMail(
  shop: Shop,
  manifest: Manifest,
  countRequests: () => number,
  standIn: Sandbox['mail'] | undefined,
): () => Promise<void> {
  const { config, database, log } = shop;
  const loadEntry = loadOnce(
    (): Promise<MailEntry> => import(pathToFileURL(join(dist, 'server', manifest.mail)).href),
  );
  const delivery = createDelivery({
    database,
    log,
    countRequests,
    async openTransport() {
      if (config.mail) return openTransport(config.mail);
      if (!standIn) throw new Error('There is no mail server.');
      return openTransport({ url: await standIn.start(), from: 'Hand-Tools Shop <shop@shop.example>' });
    },
    compose: async (mail) => composeMail(shop, await loadEntry(), mail),
    onAttempt({ state, problem }) {
      shop.recordService('mail', problem);
      if (state === 'sent') shop.recordTime('mail sent');
    },
  });
  return startDelivery(delivery, log);
}

/** Creates the renderer and starts a thread, so that the first page doesn't wait for it. */
function startRenderer(manifest: Manifest, log: Logger): Renderer {
  const renderer = createRenderer({
    root: dist,
    manifest,
    maxThreads: Math.min(availableParallelism(), 2),
    report: (error) => log.warn({ error }, 'a thread that renders pages failed'),
    reportOutput: (error) => log.error({ error }, 'a page wrote to the console'),
  });
  renderer.warmUp();
  return renderer;
}

/** Opens the stand-ins on their own file or schema. Their webhooks don't leave the process. */
async function openStandIns(config: Config, timeoutMs: number, log: Logger, findApp: () => App | undefined) {
  const location =
    'url' in config.database
      ? { url: config.database.url, schema: 'sandbox' }
      : { file: join(config.dataDir, 'sandbox.db') };
  const { db } = connect<unknown>(location, undefined, { ms: timeoutMs, isEnabled: true });
  if ('schema' in location) {
    const createSchema = db.schema.createSchema(location.schema).ifNotExists();
    // PostgreSQL may fail here, even with `if not exists`, if two processes start together.
    await createSchema.execute().catch(() => createSchema.execute());
  }
  const deliveries = new Set<Promise<Response>>();
  const sandbox = await openSandbox({
    db,
    origin: config.origins[0],
    webhookPath: apiBase + contract.receiveStripeEvent.path,
    googleCallbacks: config.origins.map((origin) => `${origin}${authBase}/callback/google`),
    async deliver(request) {
      const response = findApp()?.fetch(request);
      if (!response) return new Response(null, { status: 503 });
      deliveries.add(response);
      return response.finally(() => deliveries.delete(response));
    },
    onError: (error) => log.warn({ error }, 'a stand-in failed'),
  });
  const { settings } = sandbox;
  return {
    ...sandbox,
    settings: { ...settings, google: config.googleSignIn ? settings.google : undefined },
    /** Also waits for the webhooks that the shop is processing. */
    async close(): Promise<void> {
      await sandbox.close();
      await Promise.allSettled(deliveries);
    },
  };
}
