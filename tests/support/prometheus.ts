import { expect } from 'vitest';

type Labels = Record<string, string>;
type Sample = { name: string; labels: Labels; value: number };
type Scraped = { types: Map<string, string>; samples: Sample[] };

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"`;
const number = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|NaN|[+-]Inf`;
const help = new RegExp(`^# HELP (${name}) ((?:[^\\\\\\n]|\\\\[\\\\n])+)$`);
const type = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram)$`);
const sample = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)\\})? (${number})$`);

/**
 * What Prometheus reads of a text (https://prometheus.io/docs/instrumenting/exposition_formats/), and no more: fails
 * for a line that the format does not have, a family in two places, a series twice, a counter without `_total`, a
 * histogram whose buckets do not add up.
 */
export function readMetrics(text: string): Scraped {
  expect(text).toMatch(/\n$/);
  const found: Scraped = { types: new Map(), samples: [] };
  let family = '';
  let helped = '';
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const helps = help.exec(line)?.[1];
    const types = type.exec(line);
    const read = sample.exec(line);
    if (helps !== undefined) helped = helps;
    else if (types) {
      const [, of = '', kind = ''] = types;
      expect([of, found.types.has(of)]).toEqual([helped, false]);
      if (kind === 'counter') expect(of).toMatch(/_total$/);
      found.types.set(of, kind);
      family = of;
    } else if (read) {
      const [whole, called = '', written = '', value = ''] = read;
      const endings = found.types.get(family) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      expect(endings.map((ending) => family + ending)).toContain(called);
      const series = whole.slice(0, whole.lastIndexOf(' '));
      expect([series, seen.has(series)]).toEqual([series, false]);
      seen.add(series);
      found.samples.push({ name: called, labels: readLabels(written), value: readNumber(value) });
    } else expect.fail(`Not a line of the format: ${line}`);
  }
  for (const [of, kind] of found.types) if (kind === 'histogram') judgeHistogram(found, of);
  expect(found.samples.filter(({ name: of, value }) => of.endsWith('_total') && value < 0)).toEqual([]);
  return found;
}

/** The sum of all series of that name that have these labels; undefined where there is none. */
export function metric({ samples }: Scraped, of: string, labels: Labels = {}): number | undefined {
  const fit = samples.filter(
    (each) => each.name === of && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  );
  return fit.length > 0 ? fit.reduce((sum, { value }) => sum + value, 0) : undefined;
}

function readLabels(written: string): Labels {
  const pairs = [...written.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const unescaped = (value = '') =>
    value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
  const labels = Object.fromEntries(pairs.map(([, key = '', value]) => [key, unescaped(value)]));
  expect(Object.keys(labels)).toHaveLength(pairs.length);
  return labels;
}

const readNumber = (text: string) => Number(text.replace('Inf', 'Infinity'));

function judgeHistogram({ samples }: Scraped, family: string): void {
  const keyOf = ({ le, ...rest }: Labels) => JSON.stringify(rest);
  const of = (ending: string) => samples.filter((each) => each.name === family + ending);
  const counts = of('_count');
  expect(of('_sum').map(({ labels }) => keyOf(labels))).toEqual(counts.map(({ labels }) => keyOf(labels)));
  for (const { labels, value } of counts) {
    const buckets = of('_bucket').filter((each) => keyOf(each.labels) === keyOf(labels));
    const bounds = buckets.map((each) => readNumber(each.labels.le ?? ''));
    const values = buckets.map((each) => each.value);
    expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect([bounds.at(-1), values.at(-1)]).toEqual([Number.POSITIVE_INFINITY, value]);
  }
}
