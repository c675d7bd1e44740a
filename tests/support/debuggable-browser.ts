import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launchInSandbox, unpackChromium } from './chromium.ts';

export type DebuggableBrowser = { port: number; close: () => Promise<void> };

/** Launches Chromium with a remote debugging port and a new profile, for Lighthouse. Linux only. */
export const launchDebuggableBrowser = (): Promise<DebuggableBrowser> => launchInSandbox(launch);

async function launch(hasSandbox: boolean): Promise<DebuggableBrowser> {
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
    ...(hasSandbox ? [] : ['--no-sandbox']),
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
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    const port = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line)?.[1];
    if (!port) continue;
    child.stderr.resume();
    return { port: Number(port), close };
  }
  await close();
  throw new Error(`Chromium did not start: ${lines.join('\n')}`);
}
