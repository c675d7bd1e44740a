import { rmSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { engines, makeDatabase, makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { killRepeatedly } from './torture.ts';

test.each(engines)(
  'killing the shop on %s at random moments loses no confirmed write',
  { timeout: 120_000 },
  async (engine) => {
    const { place, drop } = await makeDatabase(engine);
    const folder = makeFolder();
    try {
      const settings = {
        PORT: `${await findFreePort()}`,
        DATA_DIR: 'file' in place ? place.file.replace(/shop\.db$/, '') : folder,
        ...('url' in place ? { DATABASE_URL: place.url } : {}),
      };
      const seed = inject('seed');
      const { kills, answered, orders } = await killRepeatedly({
        place,
        settings: [settings],
        kills: 3,
        seed,
      });
      expect(kills).toBeGreaterThanOrEqual(3);
      expect(answered).toBeGreaterThan(20);
      expect(orders).toBeGreaterThan(0);
    } finally {
      await drop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
