import { wrongSetting } from '../../contract/errors.ts';
import type { Settings } from './settings.ts';

const protocol = 'http/protobuf';

/**
 * Whether traces are made: where somebody says where to send them; all else that the standard names OpenTelemetry's
 * packages read by themselves. Throws `ShopError` ('bad_setting') for a protocol or an exporter that the shop does
 * not have.
 */
export function readTracing(s: Settings): boolean {
  const endpoint = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = s.OTEL_TRACES_EXPORTER ?? 'otlp';
  if (!endpoint || exporter === 'none' || s.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  if (exporter !== 'otlp')
    throw wrongSetting(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}, but must be otlp or none.`);
  const asked = s.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? s.OTEL_EXPORTER_OTLP_PROTOCOL ?? protocol;
  if (asked === protocol) return true;
  throw wrongSetting(`OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(asked)}, but must be ${protocol}.`);
}
