// What the tests start and watch a shop with, from the sources or from the build.
export { DefaultQueryExecutor } from 'kysely';
export { readConfig } from './config.ts';
export { openLog } from './log.ts';
export { doPeriodicWork } from './periodic.ts';
export { start } from './start.ts';
