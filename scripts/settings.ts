import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingDocs, settings } from '../server/config/settings.ts';
import { markdownTable } from './markdown-table.ts';

const table = /(?<=<!-- settings: [^\n]* -->\n\n)[\s\S]*?(?=\n\n<!-- \/settings -->)/;

/** `npm run settings`: updates the table of settings in docs/operations.md. */
if (import.meta.main) {
  const page = join(import.meta.dirname, '../docs/operations.md');
  writeFileSync(page, withSettings(readFileSync(page, 'utf8')));
}

/** Returns docs/operations.md with its table of settings generated from the code. */
export function withSettings(text: string): string {
  if (!table.test(text)) throw new Error('docs/operations.md has no markers for the table of settings.');
  return text.replace(table, () => describeSettings());
}

function describeSettings(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const about = settingDocs.get(schema);
    if (!about) throw new Error(`The setting ${name} has no description.`);
    // Only a setting with a default has a value when unset.
    return [`\`${name}\``, about.unset ?? String(schema.parse(undefined)), about.description];
  });
  return markdownTable(['setting', 'unset', 'what it is'], rows);
}
