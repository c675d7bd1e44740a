import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { launchInSandbox, unpackChromium } from './chromium.ts';

const chromiumFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let shared: Browser | undefined;

/** The browser that the test files of a worker share. It exits with the worker; if it crashes, it is replaced. */
export async function getBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await launchBrowser();
  return shared;
}

/** Launches Chromium: on Linux from a package, elsewhere the installed Chrome. */
export async function launchBrowser(): Promise<Browser> {
  if (process.platform !== 'linux') return chromium.launch({ channel: 'chrome', args: chromiumFlags });
  const { program, env } = await unpackChromium();
  return launchInSandbox((chromiumSandbox) =>
    chromium.launch({
      executablePath: program,
      args: chromiumFlags,
      chromiumSandbox,
      env: { ...process.env, ...env },
    }),
  );
}

export const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 740 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

/**
 * Opens a page as a new visitor of the shop at `origin`, without cookies or storage. It is closed at the end of the
 * test. The test fails if the page logs an error or a warning (which includes violations of the security policy), throws
 * an exception, or makes a request that fails or goes to another origin. `expected` matches problems that the test
 * causes, such as the 402 of a declined card.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  { expected = [], ...options }: BrowserContextOptions & { expected?: RegExp[] } = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  const problems: string[] = [];
  const addProblem = (problem: string) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      addProblem(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => addProblem(`exception: ${error.error().stack}`));
  context.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (protocol.startsWith('http') && to !== origin)
      addProblem(`request to another origin: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    // Navigating away aborts the requests of the previous page.
    const reason = request.failure()?.errorText ?? 'no reason';
    if (reason !== 'net::ERR_ABORTED') addProblem(`failed request: ${request.url()}: ${reason}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return context.newPage();
}
