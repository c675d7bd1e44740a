import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findPackageJSON } from 'node:module';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { RequestObserver } from '../http/connections/listen.ts';
import type { App, RouteName } from '../http/visit.ts';
import { readFacts } from './health/facts.ts';
import { registerFactGauges } from './metrics/facts.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createMetricsPage } from './metrics/page.ts';
import { countStatements } from './metrics/statements.ts';
import type { Tracing } from './tracing/tracing.ts';

type Send = (request: Request) => Promise<Response>;
type NameOf = (method: string, address: string) => RouteName;

/** Metrics, always, and traces, if they are configured. */
export async function openObservability(config: Config, log: Logger) {
  const { version }: { version: string } = JSON.parse(
    readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'),
  );
  const engine = 'url' in config.database ? 'postgres' : 'sqlite';
  const info = { version, engine, mode: config.services ? 'live' : 'sandbox' };
  const metrics = createMetrics();
  const tracing = await openTraces(config, { version, engine, log });

  return {
    countEvent: metrics.count,
    /** For the database: its statements. */
    databaseObserver: countStatements(metrics, tracing?.database),
    /** What comes over the network. */
    createRequestObserver: (nameOf: NameOf) => observeRequests(metrics, nameOf, tracing),
    /** What leaves for the payment provider. */
    traceProvider: (send: Send): Send => (tracing ? tracing.provider(send) : send),
    /** The app as the network is to ask it. */
    traceApp: (app: App): App =>
      tracing ? { ...app, fetch: async (...asked) => tracing.identify(await app.fetch(...asked)) } : app,
    /** Answers `/metrics`. */
    createMetricsPage: (database: Database) =>
      createMetricsPage({
        token: config.metricsToken,
        registry: metrics.registry,
        refresh: registerFactGauges(metrics.registry, info, () => readFacts(database)),
      }),
    /** Sends what is left. */
    async stop(): Promise<void> {
      metrics.stop();
      await tracing?.stop();
    },
  };
}

/** Counts each request, and makes a span of it where there is `tracing`. */
function observeRequests(metrics: Metrics, nameOf: NameOf, tracing: Tracing | undefined): RequestObserver {
  return {
    kept(incoming: IncomingMessage, outgoing: ServerResponse, name: RouteName, began: number): void {
      metrics.observeRequest(name, outgoing.statusCode, (performance.now() - began) / 1000);
      tracing?.kept(incoming, outgoing, name, began);
    },

    request(incoming: IncomingMessage, outgoing: ServerResponse, began: number, answer: () => void): void {
      const name = nameOf(incoming.method ?? '', incoming.url ?? '');
      outgoing.once('close', () => {
        const status = outgoing.headersSent ? outgoing.statusCode : 0;
        metrics.observeRequest(name, status, (performance.now() - began) / 1000);
      });
      if (tracing) tracing.request(incoming, outgoing, { name, began }, answer);
      else answer();
    },
  };
}

/** Its packages are loaded here: nobody pays for them who has no collector. */
async function openTraces(
  { tracing, origins }: Config,
  about: { version: string; engine: 'sqlite' | 'postgres'; log: Logger },
) {
  if (!tracing) return undefined;
  const { openTracing } = await import('./tracing/tracing.ts');
  return openTracing({ ...about, origin: origins[0] });
}
