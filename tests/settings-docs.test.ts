import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withSettings } from '../scripts/settings.ts';

test('docs/operations.md has the list of settings that `npm run settings` generates', () => {
  const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
  expect(page).toBe(withSettings(page));
});
