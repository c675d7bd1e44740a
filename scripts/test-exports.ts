// For tests, which start and observe a shop from the sources or from the build.
export { DefaultQueryExecutor } from 'kysely';
export { readConfig } from '../server/config/config.ts';
export { openLog } from '../server/operations/log.ts';
export { doPeriodicWork } from '../server/operations/periodic-work.ts';
export { readManifest } from '../server/pages/pages.ts';
export { createRenderer } from '../server/pages/renderer.ts';
export { createDecoder } from '../server/shop/images/decoder/decoder.ts';
export { start } from '../server/start.ts';
