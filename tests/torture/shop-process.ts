import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFirstLine, root, startArguments } from '../../bench/shop.ts';

export type ShopProcess = ReturnType<typeof spawnShop>;

export type Settings = { DATA_DIR: string; PORT: string; DATABASE_URL?: string };

/** The shop as `npm start` runs it, with its flags; what is built already is not looked at again. */
export function spawnShop(settings: Settings) {
  const { PATH = '' } = process.env;
  const args = startArguments.filter((arg) => arg !== '--build');
  // Every customer comes from an address of their own, as in life, and is counted by it.
  const env = { PATH, TRUSTED_PROXIES: '127.0.0.1,::1', ...settings };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const open = readFirstLine(child);
  // It may be killed before anybody waits for this.
  open.catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    /** Resolves once it is open; rejects with what it said where it ends before. */
    open: () =>
      open.catch(() => {
        throw new Error(`The shop did not open: ${log.join('')}`);
      }),
    /** What it logged of errors, unexpected ones only. */
    errors: () =>
      log
        .join('')
        .split('\n')
        .filter((line) => /"level":[56]0/.test(line) || (line !== '' && !line.startsWith('{'))),
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  };
}

export type ShopProcesses = ReturnType<typeof spawnShops>;

/** Several processes that share a database. The others start once the first one, which fills the database, is open. */
export function spawnShops(first: Settings, ...others: Settings[]) {
  const started = [spawnShop(first)];
  return {
    async open(): Promise<void> {
      await started[0]?.open();
      for (const settings of others) {
        const next = spawnShop(settings);
        started.push(next);
        await next.open();
      }
    },
    errors: () => started.flatMap(({ errors }) => errors()),
    kill: () => Promise.all(started.map(({ kill }) => kill())),
    stop: () => Promise.all(started.map(({ stop }) => stop())),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
