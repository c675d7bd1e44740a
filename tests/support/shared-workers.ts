import { defaultResourceLimits } from '../../server/config/resource-limits.ts';
import { createDecoder, createRenderer, readManifest } from './shop-modules.ts';

// An image decoder is a process and a renderer a thread, which take longer to start than the rest of a shop. The shops
// of a worker share one of each.
let decoder: ReturnType<typeof createDecoder> | undefined;
let renderer: ReturnType<typeof createRenderer> | undefined;

/** A busy machine may take seconds to start its process, and idle ones would be started again. */
export const getSharedDecoder = () =>
  (decoder ??= createDecoder({
    ...defaultResourceLimits.decoder,
    timeoutMs: 60_000,
    sharedTimeoutMs: 60_000,
    idleMs: 600_000,
  }));

export function getSharedRenderer() {
  renderer ??= createRenderer({
    root: 'dist',
    manifest: readManifest('dist'),
    maxThreads: 1,
    report: failRun,
    reportOutput: failRun,
  });
  return renderer;
}

/** Vitest reports the unhandled rejection. */
const failRun = (error: unknown): void => void Promise.reject(error);
