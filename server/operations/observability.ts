import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database, DatabaseObserver } from '../database/database.ts';
import type { RequestObserver } from '../http/connections/listen.ts';
import type { App } from '../http/request-context.ts';
import { readFacts } from './health/facts.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createMetricsPage } from './metrics/page.ts';
import type { createRouteNamer } from './metrics/route-names.ts';
import { createStateReader } from './metrics/state.ts';
import type { Send } from './tracing/spans.ts';

export async function openObservability(config: Config, log: Logger) {
  const { version }: { version: string } = JSON.parse(
    readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'),
  );
  const engine = 'url' in config.database ? 'postgres' : 'sqlite';
  const metrics = createMetrics();
  // Loaded only if needed: OpenTelemetry takes 6 MB and slows the start.
  const tracing = config.tracing
    ? (await import('./tracing/tracing.ts')).openTracing(version, engine, config.origins[0], log)
    : undefined;

  const databaseObserver: DatabaseObserver = {
    onQuery(finished) {
      metrics.observeStatement(finished);
      tracing?.database.onQuery(finished);
    },
    onTransaction: metrics.countTransaction,
  };

  let requests = 0;
  const createRequestObserver = (nameRoute: ReturnType<typeof createRouteNamer>): RequestObserver => ({
    countCacheHit(incoming, { statusCode }, name, began) {
      metrics.observeRequest(name, statusCode, began);
      tracing?.startRequest(incoming, name, began).end(statusCode);
    },
    observe(incoming, outgoing, began, answer) {
      requests++;
      const name = nameRoute(incoming.method ?? '', incoming.url ?? '');
      const span = tracing?.startRequest(incoming, name, began);
      outgoing.once('close', () => {
        const status = outgoing.headersSent ? outgoing.statusCode : 0;
        metrics.observeRequest(name, status, began);
        span?.end(status);
      });
      if (span) span.run(answer);
      else answer();
    },
  });

  return {
    countEvent: metrics.countEvent,
    databaseObserver,
    createRequestObserver,
    /** The number of requests so far, except those answered from the cache. */
    countRequests: () => requests,
    traceProvider: tracing?.traceProvider ?? ((send: Send) => send),
    traceApp: (app: App): App =>
      tracing ? { ...app, fetch: async (...args) => tracing.addRequestId(await app.fetch(...args)) } : app,
    createMetricsPage(database: Database) {
      const info = { version, engine, mode: config.mode };
      const readState = createStateReader(info, () => readFacts(database));
      return createMetricsPage(config.metricsToken, metrics.registry, readState);
    },
    async stop(): Promise<void> {
      metrics.stop();
      await tracing?.stop();
    },
  };
}
