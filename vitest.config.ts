import { defineConfig } from 'vitest/config';

/** Run by `npm run test:long`; `npm test` runs the others. */
const long = [
  'server/operations/{backup,commands,doctor,tracing}/**',
  'seed/catalogue.test.ts',
  // `encode.ts` restricts what Sharp reads in the whole process, so these cannot share one with other files.
  'server/shop/images/**',
  'tests/{access,fuzz,many,model,torture,upgrades}/**',
  'tests/attacks/slow.test.ts',
  'tests/screens/{accessible,widths}.test.ts',
  'tests/{commands,install,lighthouse,speed,startup-failures}.test.ts',
].map((glob) => (glob.endsWith('/**') ? `${glob}/*.test.ts` : glob));

export default defineConfig({
  test: {
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/quiet.ts',
    // Vitest's default leaves one processor idle, but tests spend much of their time waiting.
    maxWorkers: '100%',
    testTimeout: 30_000,
    // Polling ends as soon as the condition holds; allow for other tests that share the machine.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    // The build runs as it is.
    server: { deps: { external: [/\/dist\/(server|shop)\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['{bench,contract,sandbox,scripts,seed,server,tests,web}/**/*.test.ts'],
          exclude: long,
          // The files of a worker share the loaded modules and one browser.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'long', include: long } },
      {
        extends: true,
        test: {
          name: 'built',
          include: [
            'tests/{access,attacks,fuzz}/**/*.test.ts',
            'server/app.test.ts',
            'server/http/{origin,problem,request-ids,route}.test.ts',
          ],
          // The tests start the shop that `npm start` runs (`tests/support/shop.ts`).
          env: { SERVED: 'dist' },
        },
      },
    ],
  },
});
