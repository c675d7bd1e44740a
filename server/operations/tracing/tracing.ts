import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { Engine } from '../../database/schema.ts';
import { traceProvider } from './provider.ts';
import { traceRequests } from './requests.ts';
import type { SpanTracer } from './span-tracer.ts';
import { traceStatements } from './statements.ts';

export type Tracing = ReturnType<typeof openTracing>;

type Options = { version: string; engine: Engine; origin: string; log: Logger };

/** How long stopping waits for the collector to accept the last spans. */
const stopTimeoutMs = 3000;
/** Problems with the collector are logged at most once in this time. */
const logIntervalMs = 60_000;

/**
 * Sends spans of requests, database statements and calls to Stripe over OTLP. Nothing is registered globally, so that no
 * package adds spans of its own, which could contain personal data.
 */
export function openTracing({ version, engine, origin, log }: Options) {
  logDiagnostics(log);
  const resource = resourceFromAttributes({
    'service.name': 'hand-tools-shop',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('hand-tools-shop', version);
  const propagator = new W3CTraceContextPropagator();
  const active = new AsyncLocalStorage<Context>();

  const spanTracer: SpanTracer = {
    active,
    readParent: (headers) => propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
    start(name, kind, attributes, { parent = active.getStore() ?? ROOT_CONTEXT, startTime } = {}) {
      const options = { kind, attributes, ...(startTime === undefined ? {} : { startTime }) };
      const span = tracer.startSpan(name, options, parent);
      return {
        context: trace.setSpan(parent, span),
        end(more = {}, errorType, endTime) {
          span.setAttributes(errorType === undefined ? more : { ...more, 'error.type': errorType });
          if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endTime);
        },
      };
    },
  };

  return {
    ...traceRequests(spanTracer, new URL(origin).protocol.slice(0, -1)),
    database: traceStatements(spanTracer, engine),
    provider: (send: (request: Request) => Promise<Response>) => traceProvider(spanTracer, send),
    /** Sends the remaining spans. */
    async stop(): Promise<void> {
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, stopTimeoutMs);
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
      clearTimeout(timer);
      diag.disable();
    },
  };
}

/** Logs OpenTelemetry's own warnings and errors, such as an unreachable collector. */
function logDiagnostics(log: Logger): void {
  let nextLogAt = 0;
  const write = (message: string) => {
    if (performance.now() < nextLogAt) return;
    nextLogAt = performance.now() + logIntervalMs;
    log.warn({ tracing: message.slice(0, 500) }, 'sending traces failed');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: write, warn: write, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
