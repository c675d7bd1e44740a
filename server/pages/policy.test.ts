import { expect, test } from 'vitest';
import type { WebSettings } from '../../contract/pages.ts';
import { createContentPolicy } from './pages.ts';

const settings: WebSettings = {
  origin: 'https://shop.example',
  apiBase: '/api',
  imageUploadUrl: '/1/upload',
  stripePublishableKey: 'pk_test_1',
  stripeJsUrl: 'https://js.stripe.com/endive/stripe.js',
  currency: undefined,
  chargedCurrency: 'USD',
  sandbox: false,
  google: true,
  sendsMail: true,
  orderRetentionYears: 10,
};

function createPolicies(changed: Partial<WebSettings> = {}) {
  const options = {
    settings: { ...settings, ...changed },
    stripeApiUrl: 'https://api.stripe.com',
    stylesHash: 'x',
  };
  return { plain: createContentPolicy(options, false), takesCards: createContentPolicy(options, true) };
}

test("only pages with a card form allow Stripe's origins", () => {
  const { takesCards: policy, plain } = createPolicies();
  expect(policy).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;");
  expect(policy).toContain(
    '; frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  );
  expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
  expect(plain).not.toContain('stripe');
  expect(plain).toContain("; require-trusted-types-for 'script'; trusted-types 'none'");
});

test('pages allow uploads to a hosted image service, and its images', () => {
  const { plain: policy } = createPolicies({ imageUploadUrl: 'https://api.img.example/1/upload' });
  expect(policy).toContain("connect-src 'self' https://api.img.example;");
  expect(policy).toContain("img-src 'self' blob: https:;");
});
