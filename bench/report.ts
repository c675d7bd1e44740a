import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';

/** One row of the results. `met` undefined: a number to know, without a goal. `ratio` is to stay what it is. */
export type Result = { name: string; goal: string; value: string; passed?: boolean; ratio?: number };

/** A quick look whether a change has cost half of something: measures less, and writes nothing. */
export const short = process.argv.includes('--short');

const file = join(import.meta.dirname, 'results.md');
const begin = '# Results\n';

/**
 * Prints what one question found and puts it in `bench/results.md` in place of what stood there about it; the
 * short form compares with that instead, and ends with exit code 1 where a ratio is less than half of it.
 */
export function report(question: string, results: Result[]): void {
  if (short) {
    for (const result of results) judgeShort(result);
    return;
  }
  const head = ['what', 'goal', 'found', 'met'];
  const rows = results.map(({ name: what, goal, value: found, passed: met }) => [
    what,
    goal,
    found,
    met === undefined ? '' : met ? 'yes' : '**no**',
  ]);
  const section = `## ${question}\n\n${machine()}\n\n${table([head, ...rows])}\n`;
  process.stdout.write(`${section}\n`);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : begin;
  const others = before
    .split(/^(?=## )/m)
    .slice(1)
    .filter((text) => !text.startsWith(`## ${question}\n`));
  const sections = [...others.map((text) => `${text.trim()}\n`), section].toSorted();
  writeFileSync(
    file,
    `${begin}\nWritten by \`npm run bench\`; each question by its own script, too.\n\n${sections.join('\n')}`,
  );
}

/** Of what a ratio must be at least. */
export function atLeast(goal: number, ratio: number): Pick<Result, 'goal' | 'passed' | 'ratio'> {
  return { goal: `≥ ${goal}`, passed: ratio >= goal, ratio };
}

function judgeShort({ name: what, ratio }: Result): void {
  if (ratio === undefined) return;
  const row = readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${what} `));
  const before = Number.parseFloat(row?.split('|')[3] ?? '');
  const lost = !(ratio >= before / 2);
  process.stdout.write(`${what}: ${ratio.toFixed(2)}, was ${before}${lost ? ': half of it is lost' : ''}\n`);
  if (lost) process.exitCode = 1;
}

/** As the formatter would write it. */
function table([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, at) => Math.max(3, ...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[], fill = ' ') =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`;
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(row)),
  ].join('\n');
}

function machine(): string {
  const processors = cpus();
  const versions = ['v8', 'sqlite'].map((name) => `${name} ${process.versions[name]}`).join(', ');
  return `${new Date().toISOString().slice(0, 10)} · ${processors.length} × ${processors[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${arch()} · Node ${process.version} (${versions})`;
}
