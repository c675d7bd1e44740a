import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings, told } from '../server/settings.ts';

const page = join(import.meta.dirname, '../docs/operations.md');
const table = /(?<=<!-- settings: [^\n]* -->\n\n)[\s\S]*?(?=\n\n<!-- \/settings -->)/;

/** The page of operations with the table of settings as the code has them. */
export function withSettings(text: string): string {
  if (!table.test(text)) throw new Error('docs/operations.md has no place for the settings.');
  return text.replace(table, () => describeSettings());
}

/** A Markdown table as Biome lays it out. */
function describeSettings(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const about = told.get(schema);
    if (!about) throw new Error(`Nothing is told of ${name}.`);
    // Only a default has a value while nothing is set.
    return [`\`${name}\``, about.unset ?? String(schema.parse(undefined)), about.what];
  });
  const head = ['setting', 'unset', 'what it is'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: string[], filler = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(' | ')} |`;
  const rule = line(
    head.map(() => ''),
    '-',
  );
  return [line(head), rule, ...rows.map((row) => line(row))].join('\n');
}

if (import.meta.main) writeFileSync(page, withSettings(readFileSync(page, 'utf8')));
