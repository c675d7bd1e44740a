import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';

test.skipIf(process.platform === 'win32')(
  'no other user of the machine can read the files of the shop',
  async () => {
    const DATA_DIR = makeFolder();
    chmodSync(DATA_DIR, 0o755);
    const server = await startServer({ DATA_DIR, PORT: `${await findFreePort()}` });
    onTestFinished(async () => void (await server.kill('SIGTERM')));
    const files = readdirSync(DATA_DIR);
    expect(files).toContain('shop.db');
    for (const file of files) expect([file, statSync(join(DATA_DIR, file)).mode & 0o077]).toEqual([file, 0]);
  },
);
