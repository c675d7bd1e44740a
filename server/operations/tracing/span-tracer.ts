import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, SpanKind } from '@opentelemetry/api';

/** Starts spans, by default as children of the active span. `active` holds the context of the current request. */
export type SpanTracer = {
  start: (
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    options?: { parent?: Context; startTime?: number },
  ) => { context: Context; end: (attributes?: Attributes, errorType?: string, endTime?: number) => void };
  active: AsyncLocalStorage<Context>;
  readParent: (headers: object) => Context;
};
