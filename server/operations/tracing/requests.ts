import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Attributes, SpanKind, trace } from '@opentelemetry/api';
import type { RouteName } from '../../http/request-context.ts';
import type { SpanTracer } from './span-tracer.ts';

/** Any other method is recorded as `_OTHER`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/**
 * Traces requests by the conventions for HTTP (https://opentelemetry.io/docs/specs/semconv/http/http-spans/), except
 * `url.path` and `url.query`: paths contain e-mail addresses, and the pattern (`http.route`) suffices. `shop.call` is the
 * request's name in the metrics.
 */
export function traceRequests({ start, active, readParent }: SpanTracer, scheme: string) {
  function startRequestSpan(
    { method = '', headers }: IncomingMessage,
    { call, route }: RouteName,
    startTime: number,
  ) {
    const known = methods.has(method);
    const attributes: Attributes = {
      'http.request.method': known ? method : '_OTHER',
      'url.scheme': scheme,
      'shop.call': call,
      ...(route === undefined ? {} : { 'http.route': route }),
    };
    const name = [known ? method : 'HTTP', route].filter(Boolean).join(' ');
    return start(name, SpanKind.SERVER, attributes, { parent: readParent(headers), startTime });
  }

  return {
    /** A response from the cache. `began` is a time of `performance.now()`. */
    traceCached(
      incoming: IncomingMessage,
      { statusCode }: ServerResponse,
      name: RouteName,
      began: number,
    ): void {
      startRequestSpan(incoming, name, began).end({ 'http.response.status_code': statusCode });
    },

    /** Runs `answer` within the request's span, which becomes the parent of its spans. */
    traceRequest(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      { name, began }: { name: RouteName; began: number },
      answer: () => void,
    ): void {
      const span = startRequestSpan(incoming, name, began);
      outgoing.once('close', () => {
        const { statusCode } = outgoing;
        // The client disconnected before the response.
        if (!outgoing.headersSent) return span.end();
        const attributes = { 'http.response.status_code': statusCode };
        span.end(attributes, statusCode >= 500 ? `${statusCode}` : undefined);
      });
      active.run(span.context, answer);
    },

    /** Adds the request id, which the log and error messages contain, to the request's span. */
    addRequestId(response: Response): Response {
      const context = active.getStore();
      const id = response.headers.get('x-request-id');
      if (context && id !== null) trace.getSpan(context)?.setAttribute('shop.request_id', id);
      return response;
    },
  };
}
