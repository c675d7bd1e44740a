import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findPackageJSON } from 'node:module';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { RequestObserver } from '../http/connections/listen.ts';
import type { App, RouteName } from '../http/request-context.ts';
import { readFacts } from './health/facts.ts';
import { registerFactGauges } from './metrics/facts.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createMetricsPage } from './metrics/page.ts';
import { countStatements } from './metrics/statements.ts';
import type { Tracing } from './tracing/tracing.ts';

type Send = (request: Request) => Promise<Response>;
type NameRoute = (method: string, address: string) => RouteName;

/** Metrics and, if a collector is configured, traces. */
export async function openObservability(config: Config, log: Logger) {
  const { version }: { version: string } = JSON.parse(
    readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'),
  );
  const engine = 'url' in config.database ? 'postgres' : 'sqlite';
  const info = { version, engine, mode: config.services ? 'live' : 'sandbox' };
  const metrics = createMetrics();
  const tracing = await loadTracing(config, { version, engine, log });

  return {
    countEvent: metrics.count,
    databaseObserver: countStatements(metrics, tracing?.database),
    createRequestObserver: (nameRoute: NameRoute) => observeRequests(metrics, nameRoute, tracing),
    /** Traces requests to the payment provider. */
    traceProvider: (send: Send): Send => (tracing ? tracing.provider(send) : send),
    /** Adds the request id to the span of each request. */
    traceApp: (app: App): App =>
      tracing ? { ...app, fetch: async (...args) => tracing.addRequestId(await app.fetch(...args)) } : app,
    /** Serves `/metrics`. */
    createMetricsPage: (database: Database) =>
      createMetricsPage({
        token: config.metricsToken,
        registry: metrics.registry,
        refresh: registerFactGauges(metrics.registry, info, () => readFacts(database)),
      }),
    /** Sends the remaining spans. */
    async stop(): Promise<void> {
      metrics.stop();
      await tracing?.stop();
    },
  };
}

/** Counts and traces requests. */
function observeRequests(
  metrics: Metrics,
  nameRoute: NameRoute,
  tracing: Tracing | undefined,
): RequestObserver {
  return {
    countCacheHit(incoming: IncomingMessage, outgoing: ServerResponse, name: RouteName, began: number): void {
      metrics.observeRequest(name, outgoing.statusCode, (performance.now() - began) / 1000);
      tracing?.traceCached(incoming, outgoing, name, began);
    },

    observe(incoming: IncomingMessage, outgoing: ServerResponse, began: number, answer: () => void): void {
      const name = nameRoute(incoming.method ?? '', incoming.url ?? '');
      outgoing.once('close', () => {
        const status = outgoing.headersSent ? outgoing.statusCode : 0;
        metrics.observeRequest(name, status, (performance.now() - began) / 1000);
      });
      if (tracing) tracing.traceRequest(incoming, outgoing, { name, began }, answer);
      else answer();
    },
  };
}

/** Loads OpenTelemetry only if a collector is configured: it takes 6 MB and slows the start. */
async function loadTracing(
  { tracing, origins }: Config,
  options: { version: string; engine: 'sqlite' | 'postgres'; log: Logger },
) {
  if (!tracing) return undefined;
  const { openTracing } = await import('./tracing/tracing.ts');
  return openTracing({ ...options, origin: origins[0] });
}
