import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'tests/support/postgres.ts',
    setupFiles: 'tests/support/quiet.ts',
    // A test waits more than it works: one file for each processor, where Vitest would leave one idle.
    maxWorkers: '100%',
    testTimeout: 30_000,
    // What a test polls for comes when it comes; other tests share the machine.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    // The build runs as it is.
    server: { deps: { external: [/\/dist\/(server|shop)\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['{bench,contract,sandbox,scripts,seed,server,tests,web}/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: [
            'tests/{access,attacks,fuzz}/**/*.test.ts',
            'server/{app,origin,problem,request-ids,route}.test.ts',
          ],
          // The tests start the shop that `npm start` runs (`tests/support/shop.ts`).
          env: { SERVED: 'dist' },
        },
      },
    ],
  },
});
