import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { unpackChromium } from './chromium.ts';

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let shared: Browser | undefined;

/** The browser that all test files of a worker share; it ends with the worker. A crashed one is replaced. */
export async function getBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await openBrowser();
  return shared;
}

/** A real Chromium: on Linux the one in a package, elsewhere the machine's Chrome. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== 'linux') return chromium.launch({ channel: 'chrome', args: quiet });
  const { program, env } = await unpackChromium();
  return chromium.launch({
    executablePath: program,
    args: quiet,
    // Root cannot have Chromium's sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...process.env, ...env },
  });
}

/** A phone's screen and touch. */
export const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 740 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

/**
 * A new visitor (nothing stored, no cookie) of the shop at `origin`. At the end of the test its window is
 * closed, and the test fails where the page complained: an error or a warning in the console (a breach of the
 * security policy is one), an exception, a request of the shop's that failed, or one that left this machine.
 * `expected` are complaints that belong to the test, such as the 402 of a declined card.
 */
export async function visit(
  browser: Browser,
  origin: string,
  { expected = [], ...options }: BrowserContextOptions & { expected?: RegExp[] } = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  const complaints: string[] = [];
  const complain = (complaint: string) => {
    if (!expected.some((pattern) => pattern.test(complaint))) complaints.push(complaint);
  };
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complain(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complain(`exception: ${error.error().stack}`));
  context.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (protocol.startsWith('http') && to !== origin) complain(`request to elsewhere: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    // A page that is left gives up what it was still asking for.
    const reason = request.failure()?.errorText ?? 'no reason';
    if (reason !== 'net::ERR_ABORTED') complain(`failed request: ${request.url()}: ${reason}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  return context.newPage();
}
