import { defineConfig } from 'vitest/config';

const folders = '{bench,contract,sandbox,scripts,seed,server,tests,web}';
/** Files for `npm run test:long`; `npm test` runs the others. */
const longTests = `${folders}/**/*.long.test.ts`;

/** Runs after the others, because their load would slow the benchmarks. */
const speedTest = 'tests/speed.test.ts';

export default defineConfig({
  test: {
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/console-guard.ts',
    // Vitest's default leaves one core idle, but tests mostly wait.
    maxWorkers: '100%',
    // The longest tests without a limit of their own take ten seconds while other work keeps all processors busy.
    testTimeout: 60_000,
    // Polling ends when the condition holds; the limit allows for other load on the machine.
    expect: { poll: { timeout: 30_000 } },
    // The first test of a page unpacks Chromium.
    hookTimeout: 120_000,
    // Run the build unmodified.
    server: { deps: { external: [/\/dist\/(server|shop)\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: [`${folders}/**/*.test.ts`],
          exclude: [longTests, speedTest],
          // Test files in the same worker share the loaded modules and one browser.
          isolate: false,
        },
      },
      // Each file has a process of its own. Those in `server/shop/images` need it: `encode.ts` restricts what Sharp reads in the
      // whole process.
      { extends: true, test: { name: 'long', include: [longTests] } },
      {
        extends: true,
        test: {
          name: 'built',
          include: [
            'tests/{access,attacks,fuzz}/**/*.test.ts',
            'server/app.test.ts',
            'server/http/{origin,problem}.test.ts',
            'server/http/calls/route.test.ts',
          ],
          // `tests/support/shop.ts` then starts the build that `npm start` runs.
          env: { SERVED: 'dist' },
        },
      },
      { extends: true, test: { name: 'speed', include: [speedTest], sequence: { groupOrder: 1 } } },
    ],
  },
});
