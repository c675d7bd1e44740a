import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { Engine } from '../../database/schema.ts';
import { createSpans } from './spans.ts';

const stopTimeoutMs = 3000;
const logIntervalMs = 60_000;

/** Sends spans over OTLP. Nothing is registered globally: other packages' spans could contain personal data. */
export function openTracing(version: string, engine: Engine, origin: string, log: Logger) {
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
  return {
    ...createSpans(tracer, engine, new URL(origin).protocol.slice(0, -1)),
    async stop(): Promise<void> {
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        setTimeout(stopTimeoutMs, undefined, { ref: false }),
      ]);
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
