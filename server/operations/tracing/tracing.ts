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

type About = { version: string; engine: Engine /** Of the shop's address. */; origin: string; log: Logger };

/** How long a stop waits for a collector that does not take the last spans. */
const patienceMs = 3000;
/** A collector that is away is told of once a minute. */
const quietMs = 60_000;

/**
 * Spans of requests, of the database's statements and of the calls to Stripe, sent over OTLP. Loaded only where
 * somebody has said where to send them: it costs 6 MB and some of the start. Nothing global is registered, so that no
 * package makes spans of its own, with values in them that are nobody's business.
 */
export function openTracing({ version, engine, origin, log }: About) {
  hearTrouble(log);
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

  const traced: SpanTracer = {
    active,
    readParent: (headers) => propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
    start(name, kind, attributes, { parent = active.getStore() ?? ROOT_CONTEXT, startTime } = {}) {
      const options = { kind, attributes, ...(startTime === undefined ? {} : { startTime }) };
      const span = tracer.startSpan(name, options, parent);
      return {
        context: trace.setSpan(parent, span),
        end(more = {}, failed, endTime) {
          span.setAttributes(failed === undefined ? more : { ...more, 'error.type': failed });
          if (failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endTime);
        },
      };
    },
  };

  return {
    ...traceRequests(traced, new URL(origin).protocol.slice(0, -1)),
    database: traceStatements(traced, engine),
    provider: (send: (request: Request) => Promise<Response>) => traceProvider(traced, send),
    /** Sends what is left, and ends. */
    async stop(): Promise<void> {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, patienceMs);
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
      diag.disable();
    },
  };
}

/** What OpenTelemetry says of itself, such as that nobody takes its spans. */
function hearTrouble(log: Logger): void {
  let quietUntil = 0;
  const note = (message: string) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + quietMs;
    log.warn({ tracing: message.slice(0, 500) }, 'traces cannot be sent as they should');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: note, warn: note, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
