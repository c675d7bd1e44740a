import { wrongSetting } from '../errors.ts';
import type { Settings } from '../settings.ts';

const protocols = ['http/protobuf', 'http/json'] as const;

/** How traces are sent; where, and all else that the standard names, OpenTelemetry's packages read by themselves. */
export type TracingSettings = { protocol: (typeof protocols)[number] };

/**
 * Undefined where no traces are made, as where nobody says where to send them. Throws `ShopError` ('bad_setting') for
 * a protocol or an exporter that the shop does not have.
 */
export function readTracing(s: Settings): TracingSettings | undefined {
  const endpoint = s.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? s.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = s.OTEL_TRACES_EXPORTER ?? 'otlp';
  if (!endpoint || exporter === 'none' || s.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  if (exporter !== 'otlp')
    throw wrongSetting(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}, but must be otlp or none.`);
  const asked = s.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? s.OTEL_EXPORTER_OTLP_PROTOCOL ?? protocols[0];
  const protocol = protocols.find((each) => each === asked);
  if (protocol) return { protocol };
  throw wrongSetting(
    `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(asked)}, but must be ${protocols.join(' or ')}.`,
  );
}
