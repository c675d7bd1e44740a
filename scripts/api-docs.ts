import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeCalls } from './api-markdown.ts';

/** `npm run api-docs`: writes docs/api.md. */
writeFileSync(join(import.meta.dirname, '../docs/api.md'), describeCalls());
