import { defineConfig } from 'vitest/config';

/** Test files for `npm run test:long`; `npm test` runs the others. */
const longTests = [
  'sandbox/stripe/**',
  'server/operations/{backup,commands,doctor,health,metrics,overview,tracing}/**',
  'server/database/migrate.test.ts',
  'server/pages/sitemap.test.ts',
  'server/shop/orders/list/{bounds,export,plans}.test.ts',
  'server/shop/printing/shop-details.test.ts',
  'server/shop/products/back-in-stock.test.ts',
  'server/shop/reviews/concurrent-ratings.test.ts',
  'server/shop/payments/refunds/random-refunds.test.ts',
  'seed/catalogue.test.ts',
  'server/mail/delivery.test.ts',
  'server/shop/mail/letters.test.ts',
  'server/http/rate-limit.test.ts',
  'server/identity/{passkeys,recovery,two-factor}/**',
  'server/identity/{google,session-endings}.test.ts',
  // `encode.ts` restricts what Sharp reads in the whole process, so these cannot share one with other files.
  'server/shop/images/**',
  'server/shop/account-data/{delete,retention}.test.ts',
  'server/shop/products/csv/{delivery,import}.test.ts',
  'server/shop/payments/{faults,purchase-faults,purchase-payments,reconcile-account,refunds/provider-refunds}.test.ts',
  'tests/{access,attacks,browser,cluster,fuzz,journeys,model,torture,upgrades}/**',
  'tests/screens/{accessible,accounts,admin,back-in-stock,basket,api-docs,catalogue,change-email,dashboard,delete-account,double-click,double-click-admin,history,import-products,manage-products,order-desk,overview,passkeys,print,printing,product,product-images,product-reviews,public,purchases,refunds,reset,reviews,sessions,shipping,sign-in,states,stock,times,two-factor,two-windows,users,visitors,widths,without-script}.test.ts',
  'tests/{commands,install,lighthouse,modes,query-plans,startup-failures}.test.ts',
].map((glob) => (glob.endsWith('/**') ? `${glob}/*.test.ts` : glob));

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
          include: ['{bench,contract,sandbox,scripts,seed,server,tests,web}/**/*.test.ts'],
          exclude: [...longTests, speedTest],
          // Test files in the same worker share the loaded modules and one browser.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'long', include: longTests } },
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
