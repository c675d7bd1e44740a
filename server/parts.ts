// What the tests use to start and observe a shop, from the sources or from the build.
export { DefaultQueryExecutor } from 'kysely';
export { readConfig } from './config.ts';
export { openLog } from './log.ts';
export { doPeriodicWork } from './periodic.ts';
export { start } from './start.ts';
