import { expect, inject, test } from 'vitest';
import { engines } from '../support/database.ts';
import { fuzz } from './fuzz.ts';

// The short form of `node tests/fuzz/run.ts`.
test.each(engines)(
  'whatever is asked, no call fails, leaks or answers what it does not say, on %s',
  async (engine) => {
    const seed = inject('seed');
    const { requests, statuses, finding } = await fuzz({ engine }, 500, seed);
    expect(finding, `seed ${seed}`).toBeUndefined();
    expect(requests).toBe(500);
    // It is not refused all the time: what is behind the door is tried, too.
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(50);
  },
  120_000,
);
