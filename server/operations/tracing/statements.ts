import { SpanKind } from '@opentelemetry/api';
import type { DatabaseObserver } from '../../database/connect.ts';
import type { Engine } from '../../database/schema.ts';
import type { SpanTracer } from './span-tracer.ts';

/**
 * Traces the database statements of requests by the conventions for databases
 * (https://opentelemetry.io/docs/specs/semconv/database/database-spans/). The text has a placeholder for every value.
 */
export function traceStatements({ start, active }: SpanTracer, engine: Engine): DatabaseObserver {
  const system = engine === 'sqlite' ? 'sqlite' : 'postgresql';
  return {
    onQuery({ query: { sql }, began, ended, error }) {
      // A background job, such as polling for changes: not part of a request.
      if (!active.getStore()) return;
      const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
      const attributes = {
        'db.system.name': system,
        'db.operation.name': operation,
        'db.query.text': sql,
      };
      const span = start(operation, SpanKind.CLIENT, attributes, { startTime: began });
      if (error === undefined) return span.end({}, undefined, ended);
      const { status, type } = readError(error);
      span.end(status === undefined ? {} : { 'db.response.status_code': status }, type, ended);
    },
    // On SQLite one request runs the grouped transactions of several: attribute the statements to the right one.
    wrapTransaction(work) {
      const context = active.getStore();
      return context ? (tx) => active.run(context, work, tx) : work;
    },
  };
}

/** `status` is PostgreSQL's SQLSTATE or SQLite's extended result code. */
function readError(error: unknown): { status: string | undefined; type: string } {
  if (!(error instanceof Error)) return { status: undefined, type: '_OTHER' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // Network error codes (EPIPE) have no digits.
  const state = /^(?=.*\d)[\dA-Z]{5}$/.test(code ?? '') ? code : undefined;
  const status = 'errcode' in error ? `${error.errcode}` : state;
  return { status, type: status ?? code ?? '_OTHER' };
}
