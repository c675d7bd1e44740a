import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const folders = '{bench,contract,sandbox,scripts,seed,server,tests,web}';
export const allTests = `${folders}/**/*.test.ts`;
/** Files for `npm run test:long`; `npm test` runs the others. */
const longTests = `${folders}/**/*.long.test.ts`;

/** Slow tests that send requests like any client; they run only against the build, which is what visitors reach. */
export const servedTests = 'tests/{access,attacks,fuzz}/**/*.test.ts';

/** `tests/support/shop.ts` then starts the build that `npm start` runs. */
const built = { SERVED: 'dist' };

/** Runs after the others, because their load would slow the benchmarks. */
const speedTest = 'tests/speed.test.ts';

export default defineConfig({
  test: {
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/console-guard.ts',
    // More workers than cores, because tests often wait for a process, a timer or the browser.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // The longest tests without a limit of their own take ten seconds while other work keeps all processors busy.
    testTimeout: 60_000,
    // Polling ends when the condition holds; the limit allows for other load on the machine.
    expect: { poll: { timeout: 30_000 } },
    // The first test of a page unpacks Chromium.
    hookTimeout: 120_000,
    // Run the build unmodified.
    server: { deps: { external: [/\/dist\/(server|shop)\//] } },
    // The test files of a worker share the loaded modules, one browser, one image decoder and one renderer.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: [allTests],
          exclude: [longTests, speedTest],
        },
      },
      { extends: true, test: { name: 'long', include: [longTests], exclude: [servedTests] } },
      { extends: true, test: { name: 'served', include: [servedTests], env: built } },
      // These files run in `quick` too, from the sources.
      {
        extends: true,
        test: {
          name: 'built',
          include: [
            'server/app.test.ts',
            'server/http/{origin,problem}.test.ts',
            'server/http/calls/route.test.ts',
          ],
          env: built,
        },
      },
      { extends: true, test: { name: 'speed', include: [speedTest], sequence: { groupOrder: 1 } } },
    ],
  },
});
