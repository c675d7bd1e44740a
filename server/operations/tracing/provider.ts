import { SpanKind } from '@opentelemetry/api';
import type { SpanTracer } from './span-tracer.ts';

type Send = (request: Request) => Promise<Response>;

/** Traces requests to the payment provider. They carry no `traceparent`: our trace ids are useless to the provider. */
export function traceProvider({ start, active }: SpanTracer, send: Send): Send {
  return async (request) => {
    const { hostname, port, protocol, origin, pathname } = new URL(request.url);
    const attributes = {
      'http.request.method': request.method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      // The query may contain a client secret.
      'url.full': origin + pathname,
    };
    const span = start(request.method, SpanKind.CLIENT, attributes);
    try {
      const response = await active.run(span.context, send, request);
      const { status } = response;
      span.end({ 'http.response.status_code': status }, status >= 400 ? `${status}` : undefined);
      return response;
    } catch (error) {
      span.end({}, error instanceof Error ? error.name : '_OTHER');
      throw error;
    }
  };
}
