/** A Markdown table as Biome lays it out: its columns stand under one another. */
export function markdownTable(head: string[], rows: string[][]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: string[], filler = ' ') =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0, filler)).join(' | ')} |`;
  const rule = line(
    head.map(() => ''),
    '-',
  );
  return [line(head), rule, ...cells.map((row) => line(row))].join('\n');
}
