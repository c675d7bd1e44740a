import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, SpanKind } from '@opentelemetry/api';

/** Starts spans, by default as children of `active`, the request in progress. */
export type SpanTracer = {
  start: (
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    more?: { parent?: Context; startTime?: number },
  ) => { context: Context; end: (attributes?: Attributes, failed?: string, endTime?: number) => void };
  active: AsyncLocalStorage<Context>;
  readParent: (headers: object) => Context;
};
