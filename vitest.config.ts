import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,sandbox,scripts,seed,server,tests,web}/**/*.test.ts'],
    globalSetup: 'tests/support/postgres.ts',
    setupFiles: 'tests/support/quiet.ts',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
