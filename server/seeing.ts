import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { Logger } from 'pino';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { createFactFamilies } from './metrics/facts.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createMetricsPage } from './metrics/page.ts';
import { joinOthers, workerLabel } from './metrics/processes.ts';
import { countStatements } from './metrics/statements.ts';

type Send = (request: Request) => Promise<Response>;

/** What shows an engineer how the shop does: what it counts, always, and its traces, where they are asked for. */
export async function openSeeing(config: Config, log: Logger) {
  const { version }: { version: string } = JSON.parse(
    readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'),
  );
  const engine = 'url' in config.database ? 'postgres' : 'sqlite';
  const about = { version, engine, mode: config.services ? 'live' : 'sandbox' };
  const metrics = createMetrics();
  const others = joinOthers(() => metrics.read(workerLabel()));
  const tracing = config.tracing && (await openTraces(config, { version, engine, log }));

  return {
    metrics,
    tracing,
    /** For the database: sees its statements. */
    observer: countStatements(metrics, tracing?.database),
    /** What leaves for the payment provider, seen. */
    sees: (send: Send): Send => (tracing ? tracing.traceCalls(send) : send),
    /** The app as the network is to ask it. */
    app: (app: App): App =>
      tracing ? { ...app, fetch: async (...asked) => tracing.identify(await app.fetch(...asked)) } : app,
    /** Answers `/metrics`. */
    page: (database: Database) =>
      createMetricsPage({
        token: config.metricsToken,
        collect: others.collect,
        describe: createFactFamilies(database, about),
      }),
    /** Sends what is left. */
    async stop(): Promise<void> {
      others.stop();
      metrics.stop();
      await tracing?.stop();
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
  return openTracing(tracing, { ...about, origin: origins[0] });
}
