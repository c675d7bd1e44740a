import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFirstLine, root, startArguments } from '../../bench/shop.ts';

export type ProcessSettings = { DATA_DIR: string; PORT: string; DATABASE_URL?: string };

/** Spawns the shop with the flags of `npm start`, but without checking whether it is built. */
function spawnShop(settings: ProcessSettings) {
  const { PATH = '' } = process.env;
  const args = startArguments.filter((arg) => arg !== '--build');
  // Rate limits count each customer's own address, from X-Forwarded-For.
  const env = { PATH, TRUSTED_PROXIES: '127.0.0.1,::1', ...settings };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const open = readFirstLine(child);
  // The process may be killed before anything awaits this promise.
  open.catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    /** Resolves when the shop listens. Rejects with its log if it exits before. */
    open: () =>
      open.catch(() => {
        throw new Error(`The shop did not open: ${log.join('')}`);
      }),
    /** Logged errors, and stderr lines that are not JSON. */
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

/** Spawns processes that share a database. The others start when the first one, which fills the database, listens. */
export function spawnShops(first: ProcessSettings, ...others: ProcessSettings[]) {
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
