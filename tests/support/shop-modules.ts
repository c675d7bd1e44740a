const built = process.env.SERVED === 'dist';

/** The shop's code: its sources or, with SERVED=dist, the bundle that `npm start` runs. */
export const {
  createDecoder,
  createRenderer,
  DefaultQueryExecutor,
  doPeriodicWork,
  openLog,
  readConfig,
  readManifest,
  start,
}: ShopModules = await import(
  new URL(built ? '../../dist/shop/test-exports.js' : '../../scripts/test-exports.ts', import.meta.url).href
);

type ShopModules = typeof import('../../scripts/test-exports.ts');
