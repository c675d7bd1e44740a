import { expect, test } from 'vitest';
import type { WebSettings } from '../../contract/pages.ts';
import { contentPolicy } from './policy.ts';

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
};

test("Stripe's own origins stand in the policy where cards are taken, and nowhere else", () => {
  const policy = contentPolicy(settings, 'x', true);
  expect(policy).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;");
  expect(policy).toContain(
    'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;',
  );
  expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
  expect(contentPolicy(settings, 'x', false)).not.toContain('stripe');
});

test('a hosted image service may be posted to, and its pictures shown', () => {
  const policy = contentPolicy(
    { ...settings, imageUploadUrl: 'https://api.img.example/1/upload' },
    'x',
    false,
  );
  expect(policy).toContain("connect-src 'self' https://api.img.example;");
  expect(policy).toContain("img-src 'self' data: blob: https:;");
});
