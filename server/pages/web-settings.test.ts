import { expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { toWebSettings } from './pages.ts';

const keys = {
  SHOP_CURRENCY: 'USD',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  GOOGLE_SIGN_IN: 'off',
};

test.each([
  ['https://images.example/1/upload', 'https://images.example/1/upload?key=a%26b'],
  ['https://images.example/?album=7', 'https://images.example/?album=7&key=a%26b'],
])('images are uploaded to the image host %s with its key', (IMAGE_HOST_URL, expected) => {
  const config = readConfig({ ...keys, IMAGE_HOST_URL, IMAGE_HOST_KEY: 'a&b' });
  const { imageUploadUrl } = toWebSettings(config, config.services ?? expect.unreachable());
  expect(imageUploadUrl).toBe(expected);
});
