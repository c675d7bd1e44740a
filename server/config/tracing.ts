import { wrongSetting } from '../../contract/errors.ts';
import type { Settings } from './settings.ts';

const protocol = 'http/protobuf';

/**
 * Whether tracing is enabled: if an endpoint is set. OpenTelemetry's packages read their other variables themselves. Throws
 * `ShopError` ('bad_setting') for an unsupported protocol or exporter.
 */
export function readTracing(s: Settings): boolean {
  const endpoint = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = s.OTEL_TRACES_EXPORTER ?? 'otlp';
  if (!endpoint || exporter === 'none' || s.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (exporter !== 'otlp')
    throw wrongSetting(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}, but must be otlp or none.`);
  const requested = s.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? s.OTEL_EXPORTER_OTLP_PROTOCOL ?? protocol;
  if (requested === protocol) return true;
  throw wrongSetting(`OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(requested)}, but must be ${protocol}.`);
}
