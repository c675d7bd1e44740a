import { settings, told } from '../server/config/settings.ts';
import { markdownTable } from './markdown-table.ts';

const table = /(?<=<!-- settings: [^\n]* -->\n\n)[\s\S]*?(?=\n\n<!-- \/settings -->)/;

/** The page of operations with the table of settings as the code has them. */
export function withSettings(text: string): string {
  if (!table.test(text)) throw new Error('docs/operations.md has no place for the settings.');
  return text.replace(table, () => describeSettings());
}

function describeSettings(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const about = told.get(schema);
    if (!about) throw new Error(`Nothing is told of ${name}.`);
    // Only a default has a value while nothing is set.
    return [`\`${name}\``, about.unset ?? String(schema.parse(undefined)), about.what];
  });
  return markdownTable(['setting', 'unset', 'what it is'], rows);
}
