import { SpanKind } from '@opentelemetry/api';
import type { Engine } from '../database/connect.ts';
import type { Observer } from '../database/observed.ts';
import type { Traced } from './tracing.ts';

/**
 * A span of each statement that a request asks of the database, by the conventions for databases
 * (https://opentelemetry.io/docs/specs/semconv/database/database-spans/). Its text has a placeholder for every value.
 */
export function traceStatements({ start, active }: Traced, engine: Engine): Observer {
  const system = engine === 'sqlite' ? 'sqlite' : 'postgresql';
  return {
    statement({ query: { sql }, began, ended, failed }) {
      // What the shop asks by itself, a few times a second, is nobody's.
      if (!active.getStore()) return;
      const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
      const attributes = {
        'db.system.name': system,
        'db.operation.name': operation,
        'db.query.text': sql,
      };
      start(operation, SpanKind.CLIENT, attributes, { startTime: began }).end(
        {},
        failed ? 'error' : undefined,
        ended,
      );
    },
    // On SQLite it is run with those of others, by whoever came first: its statements are its own request's.
    transaction(work) {
      const context = active.getStore();
      return context ? (tx) => active.run(context, work, tx) : work;
    },
  };
}
