import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from './port.ts';
import { findOwner } from './postgres.ts';

/** The path of PgBouncer; undefined if it is not installed. Debian installs it in /usr/sbin. */
export const pgBouncerPath = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find(existsSync);

/** Starts PgBouncer in front of a PostgreSQL server, by default in transaction mode. `url` replaces `databaseUrl`. */
export async function startPgBouncer(databaseUrl: string, ownSettings: readonly string[] = []) {
  if (!pgBouncerPath) throw new Error('PgBouncer is not installed (apt-get install pgbouncer).');
  const url = new URL(databaseUrl);
  const { hostname, port, username, password } = url;
  const folder = mkdtempSync(join(tmpdir(), 'shop-pgbouncer-'));
  chmodSync(folder, 0o755);
  url.port = `${await findFreePort()}`;
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${url.port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${folder}/users`,
    // As docs/operations.md advises.
    'pool_mode = transaction',
    'max_client_conn = 1000',
    'server_login_retry = 1',
    ...ownSettings,
  ];
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`);
  writeFileSync(join(folder, 'settings.ini'), `${settings.join('\n')}\n`);
  const child = spawn(pgBouncerPath, [join(folder, 'settings.ini')], {
    ...findOwner(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(child.stderr)) if (line.includes('process up')) break;
  child.stderr.resume();
  return {
    url: url.href,
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
