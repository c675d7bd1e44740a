import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,sandbox,scripts,seed,server,tests,web}/**/*.test.ts'],
    globalSetup: 'tests/support/postgres.ts',
    setupFiles: 'tests/support/quiet.ts',
    // A test waits more than it works: one file for each processor, where Vitest would leave one idle.
    maxWorkers: '100%',
    testTimeout: 30_000,
    // What a test polls for comes when it comes; other tests share the machine.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
  },
});
