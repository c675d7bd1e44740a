import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSettings } from './settings-table.ts';

/** `npm run settings`: updates the table of settings in docs/operations.md. */
const page = join(import.meta.dirname, '../docs/operations.md');
writeFileSync(page, withSettings(readFileSync(page, 'utf8')));
