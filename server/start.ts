import { findPackageJSON } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { contract } from '../contract/contract.ts';
import { ShopError } from '../contract/errors.ts';
import { apiBase } from '../contract/paths.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { openDemo } from '../seed/demo.ts';
import { createApp } from './app.ts';
import type { Config } from './config/config.ts';
import { defaultCurrency } from './config/currency.ts';
import { defaultResourceLimits, type ResourceLimits } from './config/resource-limits.ts';
import { watchChanges } from './database/changes.ts';
import { claimDatabase } from './database/claim.ts';
import { connect } from './database/connect.ts';
import { lockDataDir } from './database/data-dir.ts';
import { openDatabase } from './database/database.ts';
import { listen } from './http/connections/listen.ts';
import { createReadiness } from './http/connections/readiness.ts';
import { consumeRateLimit, defaultRateLimits, type RateLimits } from './http/rate-limit.ts';
import type { App } from './http/request-context.ts';
import { createResponseCache } from './http/response-cache.ts';
import type { PasswordCost } from './identity/credentials.ts';
import { authBase, createIdentityRoutes } from './identity/routes.ts';
import { authSecret } from './identity/secret.ts';
import { startHealthNotes } from './operations/health/notes.ts';
import { createRouteNamer } from './operations/metrics/route-names.ts';
import { openObservability } from './operations/observability.ts';
import { startPeriodicWork } from './operations/periodic-jobs.ts';
import { createPages, readManifest } from './pages/pages.ts';
import { createRenderer, type Renderer } from './pages/renderer.ts';
import { toWebSettings } from './pages/web-settings.ts';
import { createImageCheck } from './shop/images/check-image.ts';
import { createDecoder, type Decoder } from './shop/images/decoder.ts';
import { createImageHost } from './shop/images/routes.ts';
import { createProvider } from './shop/payments/provider.ts';
import type { Shop } from './shop/shop.ts';

export type Running = Awaited<ReturnType<typeof start>>;

/** The build's folder, which may contain this file (`scripts/bundle.ts`). */
const dist = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'dist');

type Options = {
  log: Logger;
  /** Starts a render thread in advance, so that the first page doesn't wait for it. */
  prewarm?: boolean;
  rateLimits?: RateLimits;
  resourceLimits?: ResourceLimits;
  passwordCost?: PasswordCost;
  /** Tests share one of each between all shops of a process. By default, the shop creates its own. */
  decoder?: Decoder | undefined;
  renderer?: Renderer | undefined;
};

/**
 * Assembles the whole shop, with the stand-ins if no keys are set. `toOperatorMessage` describes the errors that
 * it throws.
 */
export async function start(config: Config, options: Options) {
  const {
    log,
    prewarm = false,
    rateLimits = defaultRateLimits,
    resourceLimits = defaultResourceLimits,
    passwordCost,
  } = options;
  const cleanup: (() => unknown)[] = [lockDataDir(config)];
  const cleanUp = async () => {
    const failed: unknown[] = [];
    for (const step of cleanup.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) throw new AggregateError(failed, 'the shop could not be stopped cleanly');
  };
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= cleanUp());
  const failStart = async (error: unknown): Promise<never> => {
    // A failure during cleanup is not the reason to report.
    await stop().catch(() => undefined);
    throw error;
  };
  try {
    const manifest = readManifest(dist);
    const renderer =
      options.renderer ??
      createRenderer({
        root: dist,
        manifest,
        maxThreads: Math.min(availableParallelism(), 2),
        report: (error) => log.warn({ error }, 'a thread that renders pages failed'),
        reportOutput: (error) => log.error({ error }, 'a page wrote to the console'),
      });
    if (!options.renderer) cleanup.push(renderer.stop);
    if (prewarm) renderer.warmUp();
    const observing = await openObservability(config, log);
    cleanup.push(observing.stop);
    const database = await openDatabase(
      config.database,
      observing.databaseObserver,
      resourceLimits.databaseTimeoutMs,
    );
    cleanup.push(database.close);
    const id = await claimDatabase(database, config.services ? 'live' : 'sandbox');

    const self: { app?: App } = {};
    const deliveries = new Set<Promise<Response>>();
    // The stand-ins' webhooks don't leave the process. Stopping waits for them before it closes the database.
    const deliverToSelf = async (request: Request): Promise<Response> => {
      if (!self.app) return new Response(null, { status: 503 });
      const response = self.app.fetch(request);
      deliveries.add(response);
      return response.finally(() => deliveries.delete(response));
    };
    cleanup.push(() => Promise.allSettled(deliveries));
    const sandbox = config.services
      ? undefined
      : await openStandIns(config, resourceLimits, deliverToSelf, log);
    if (sandbox) cleanup.push(sandbox.close);
    const standIns =
      sandbox && (config.googleSignIn ? sandbox.settings : { ...sandbox.settings, google: undefined });
    const services = standIns ?? config.services;
    if (!services) throw new ShopError('bad_setting', 'No payment provider is set.');

    const secret = authSecret(config);
    const demo = sandbox && (await openDemo(config, database, join(dist, 'pictures')));
    const identity = createIdentityRoutes({
      config,
      database,
      secret,
      log,
      google: services.google,
      limits: rateLimits,
      passwordCost,
    });
    const decoder = options.decoder ?? createDecoder(resourceLimits.decoder);
    if (!options.decoder) cleanup.push(decoder.stop);
    const images = createImageHost({
      database,
      decoder,
      maxUploadBytes: resourceLimits.maxUploadBytes,
      countUpload: (email) => consumeRateLimit(database, `upload ${email}`, rateLimits.uploadsPerUser),
    });
    const pages = createPages({
      settings: toWebSettings(config, services),
      stripeApiUrl: services.stripe.apiUrl,
      root: dist,
      manifest,
      renderer,
      report: (error, requestId) => log.error({ error, requestId }, 'a page could not be rendered'),
    });
    const nameOf = createRouteNamer(manifest.paths);
    const responseCache = createResponseCache(config, nameOf);
    const changes = watchChanges(database, responseCache.clear, log);
    cleanup.push(changes.stop);
    const notes = startHealthNotes(database, log);
    cleanup.push(notes.stop);
    const shop: Shop = {
      config,
      database,
      provider: createProvider(services.stripe, observing.traceProvider(sandbox?.stripe.fetch ?? fetch)),
      rateLimits,
      log,
      id,
      currency: config.currency ?? defaultCurrency,
      secret,
      checkImage: createImageCheck(config),
      invalidateCache: changes.invalidateCaches,
      recordTime: notes.recordTime,
      countEvent: observing.countEvent,
    };
    const readiness = createReadiness(database, log);

    const app = createApp(shop, {
      identity,
      images,
      pages,
      responseCache,
      readiness,
      metrics: observing.createMetricsPage(database),
      standIns: sandbox?.stripe.fetch,
    });
    self.app = app;
    cleanup.push(startPeriodicWork(shop));

    return {
      app,
      shop,
      sandbox,
      /** A sentence for the operator about the sandbox's demo accounts. Call it after `listen`. */
      describeDemo: async () => (await demo?.describe()) ?? '',
      /** Opens the port. If that fails, releases everything. */
      async listen() {
        const mounted = sandbox && { prefix: '/sandbox/google', listener: sandbox.google.listener };
        const observer = observing.createRequestObserver(nameOf);
        const parts = { app: observing.traceApp(app), responseCache, readiness, observer, mounted };
        cleanup.push(await listen(config, resourceLimits, parts, demo?.secure).catch(failStart));
      },
      /** Finishes pending requests and releases everything. Later calls wait for the first. */
      stop,
    };
  } catch (error) {
    return failStart(error);
  }
}

/** Opens the stand-ins on their own file or schema. */
async function openStandIns(
  config: Config,
  { databaseTimeoutMs }: ResourceLimits,
  deliver: App['fetch'],
  log: Logger,
): Promise<Sandbox> {
  const location =
    'url' in config.database
      ? { url: config.database.url, schema: 'sandbox' }
      : { file: join(config.dataDir, 'sandbox.db') };
  const { db } = connect<unknown>(location, undefined, { ms: databaseTimeoutMs, isEnabled: true });
  if ('schema' in location) {
    const createSchema = db.schema.createSchema(location.schema).ifNotExists();
    // PostgreSQL may fail here, even with `if not exists`, if two processes start together.
    await createSchema.execute().catch(() => createSchema.execute());
  }
  return openSandbox({
    db,
    origin: config.origins[0],
    webhookPath: apiBase + contract.receiveStripeEvent.path,
    googleCallbacks: config.origins.map((origin) => `${origin}${authBase}/callback/google`),
    deliver,
    onError: (error) => log.warn({ error }, 'the stand-in for Google failed'),
  });
}
