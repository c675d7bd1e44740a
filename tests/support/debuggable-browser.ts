import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { unpackChromium } from './chromium.ts';

/** Launches Chromium with a remote debugging port and a new profile. Linux only. */
export async function launchDebuggableBrowser(): Promise<{ port: number; close: () => Promise<void> }> {
  const { program, env } = await unpackChromium();
  const profile = mkdtempSync(join(tmpdir(), 'shop-browser-'));
  const args = [
    '--headless',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    // Chromium's sandbox does not work as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    'about:blank',
  ];
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  for await (const line of createInterface(child.stderr)) {
    const port = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line)?.[1];
    if (!port) continue;
    child.stderr.resume();
    return { port: Number(port), close };
  }
  throw new Error('Chromium did not start.');
}
