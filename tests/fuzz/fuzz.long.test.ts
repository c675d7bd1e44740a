import { expect, inject, test } from 'vitest';
import { engines } from '../support/database.ts';
import { fuzz } from './fuzz.ts';

// `node tests/fuzz/run.ts` sends more.
test.each(engines)(
  'random requests cause no error, leak or undocumented response on %s',
  async (engine) => {
    const seed = inject('seed');
    const { requests, statuses, finding } = await fuzz({ engine }, 500, seed);
    expect(finding, `seed ${seed}`).toBeUndefined();
    expect(requests).toBe(500);
    // Enough requests are valid and authorized to reach the shop's logic.
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(50);
  },
  120_000,
);
