import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Attributes, SpanKind, trace } from '@opentelemetry/api';
import type { RouteName } from '../../http/visit.ts';
import type { SpanTracer } from './span-tracer.ts';

/** The methods of HTTP; any other word that somebody sends is not repeated. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/**
 * A span of each request, by the conventions for HTTP (https://opentelemetry.io/docs/specs/semconv/http/http-spans/)
 * but for `url.path` and `url.query`: e-mail addresses stand in paths, and the pattern (`http.route`) tells enough. What
 * the shop calls it, as in its metrics, is in `shop.call`.
 */
export function traceRequests({ start, active, readParent }: SpanTracer, scheme: string) {
  function begin({ method = '', headers }: IncomingMessage, { call, route }: RouteName, startTime: number) {
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
    /** One that was answered from what is kept, since `began` (of `performance.now()`). */
    kept(incoming: IncomingMessage, { statusCode }: ServerResponse, name: RouteName, began: number): void {
      begin(incoming, name, began).end({ 'http.response.status_code': statusCode });
    },

    /** Runs `answer`; what it does of itself, at once or later, belongs to this request. */
    request(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      { name, began }: { name: RouteName; began: number },
      answer: () => void,
    ): void {
      const span = begin(incoming, name, began);
      outgoing.once('close', () => {
        const { statusCode } = outgoing;
        // Who asks was gone before there was an answer.
        if (!outgoing.headersSent) return span.end();
        const attributes = { 'http.response.status_code': statusCode };
        span.end(attributes, statusCode >= 500 ? `${statusCode}` : undefined);
      });
      active.run(span.context, answer);
    },

    /** The number that stands in the log and in what a visitor is told, on the request's span. */
    identify(response: Response): Response {
      const context = active.getStore();
      const id = response.headers.get('x-request-id');
      if (context && id !== null) trace.getSpan(context)?.setAttribute('shop.request_id', id);
      return response;
    },
  };
}
