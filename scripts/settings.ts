import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingDocs, settings } from '../server/config/settings.ts';

const list = /(?<=<!-- settings: [^\n]* -->\n\n)[\s\S]*?(?=\n\n<!-- \/settings -->)/;

/** `npm run settings`: updates the list of settings in docs/operations.md. */
// `scripts/run.mjs` imports this file, so `import.meta.main` would be false.
if (process.argv[1] === import.meta.filename) {
  const page = join(import.meta.dirname, '../docs/operations.md');
  writeFileSync(page, withSettings(readFileSync(page, 'utf8')));
}

/** Returns docs/operations.md with its list of settings generated from the code. */
export function withSettings(text: string): string {
  if (!list.test(text)) throw new Error('docs/operations.md has no markers for the list of settings.');
  return text.replace(list, () => describeSettings());
}

function describeSettings(): string {
  const items = Object.entries(settings.shape).map(([name, schema]) => {
    const about = settingDocs.get(schema);
    if (!about) throw new Error(`The setting ${name} has no description.`);
    // A setting without `unset` has a default, which parsing `undefined` returns.
    return `- \`${name}\` (${about.unset ?? String(schema.parse(undefined))}): ${about.description}`;
  });
  return items.join('\n');
}
