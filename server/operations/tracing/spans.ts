import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { DatabaseObserver } from '../../database/database.ts';
import type { Engine } from '../../database/schema.ts';
import type { RouteName } from '../../http/request-context.ts';

export type Send = (request: Request) => Promise<Response>;

/** Any other method is recorded as `_OTHER`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/**
 * Traces requests, database statements and calls to the payment provider by OpenTelemetry's conventions
 * (https://opentelemetry.io/docs/specs/semconv/). `scheme` is the scheme of the shop's URL. Times are `performance.now()`.
 */
export function createSpans(tracer: Tracer, engine: Engine, scheme: string) {
  const propagator = new W3CTraceContextPropagator();
  const active = new AsyncLocalStorage<Context>();

  const startClientSpan = (name: string, attributes: Attributes, startTime: number) => {
    const options = { kind: SpanKind.CLIENT, attributes, startTime };
    return tracer.startSpan(name, options, active.getStore() ?? ROOT_CONTEXT);
  };

  const database: Pick<DatabaseObserver, 'onQuery'> = {
    onQuery({ query: { sql }, began, ended, error }) {
      // A background job, such as polling for changes: not part of a request.
      if (!active.getStore()) return;
      const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
      const attributes = {
        'db.system.name': engine === 'sqlite' ? 'sqlite' : 'postgresql',
        'db.operation.name': operation,
        // The text has a placeholder for every value.
        'db.query.text': sql,
      };
      const span = startClientSpan(operation, attributes, began);
      if (error !== undefined) {
        const { status, type } = readError(error);
        if (status !== undefined) span.setAttribute('db.response.status_code', status);
        fail(span, type);
      }
      span.end(ended);
    },
  };

  return {
    /** `url.path` and `url.query` are left out, because paths contain email addresses. `http.route` has the pattern. */
    startRequest({ method = '', headers }: IncomingMessage, { call, route }: RouteName, startTime: number) {
      const known = methods.has(method);
      const attributes = {
        'http.request.method': known ? method : '_OTHER',
        'url.scheme': scheme,
        'shop.call': call,
        'http.route': route,
      };
      const name = [known ? method : 'HTTP', route].filter(Boolean).join(' ');
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes, startTime }, parent);
      return {
        /** Runs `answer` within the span, which becomes the parent of all spans that `answer` starts. */
        run: (answer: () => void): void => active.run(trace.setSpan(parent, span), answer),
        /** `status` is 0 if the client disconnected before the response. */
        end(status: number): void {
          if (status > 0) span.setAttribute('http.response.status_code', status);
          if (status >= 500) fail(span, `${status}`);
          span.end(performance.now());
        },
      };
    },

    /** Adds the request id, which the log and error messages contain, to the request's span. */
    addRequestId(response: Response): Response {
      const context = active.getStore();
      const id = response.headers.get('x-request-id');
      if (context && id !== null) trace.getSpan(context)?.setAttribute('shop.request_id', id);
      return response;
    },

    database,

    /** Traces requests to the payment provider. They carry no `traceparent`: our trace ids are useless to the provider. */
    traceProvider:
      (send: Send): Send =>
      async (request) => {
        const { hostname, port, protocol, origin, pathname } = new URL(request.url);
        const attributes = {
          'http.request.method': request.method,
          'server.address': hostname,
          'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
          // The query may contain a client secret.
          'url.full': origin + pathname,
        };
        const span = startClientSpan(request.method, attributes, performance.now());
        try {
          const response = await send(request);
          span.setAttribute('http.response.status_code', response.status);
          if (response.status >= 400) fail(span, `${response.status}`);
          return response;
        } catch (error) {
          fail(span, error instanceof Error ? error.name : '_OTHER');
          throw error;
        } finally {
          span.end(performance.now());
        }
      },
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
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
