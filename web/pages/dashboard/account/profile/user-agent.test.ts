import { expect, test } from 'vitest';
import { describeBrowser } from './user-agent.ts';

const mozilla = 'Mozilla/5.0';
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const iphone = `${mozilla} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)`;

test.each([
  [`${mozilla} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox on Linux'],
  [`${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/147.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0`,
    'Edge on Windows',
  ],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
    'Safari on macOS',
  ],
  [`${mozilla} (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/147.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [
    `${mozilla} (Linux; Android 10; K) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [`${iphone} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  [`${iphone} CriOS/147.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
  [`${mozilla} (X11; Linux x86_64) ${webkit} HeadlessChrome/147.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  ['node', 'Unknown browser'],
  ['', 'Unknown browser'],
])('describeBrowser recognizes %s', (userAgent, name) => {
  expect(describeBrowser(userAgent)).toBe(name);
});
