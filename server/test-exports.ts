// For tests, which start and observe a shop from the sources or from the build.
export { DefaultQueryExecutor } from 'kysely';
export { readConfig } from './config/config.ts';
export { openLog } from './operations/log.ts';
export { doPeriodicWork } from './operations/periodic-jobs.ts';
export { readManifest } from './pages/pages.ts';
export { createRenderer } from './pages/renderer.ts';
export { createDecoder } from './shop/images/decoder.ts';
export { start } from './start.ts';
