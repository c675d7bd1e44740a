import type { Family, Numbers } from './families.ts';

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const textType = 'text/plain; version=0.0.4; charset=utf-8';

/** As Prometheus reads it. A family that has counted nothing yet is left out, but for those without labels. */
export function writeText(families: readonly Family[]): string {
  return families
    .map((family) => {
      const { name, help, type } = family;
      const lines = Object.entries(family.series).flatMap(([labels, numbers]) =>
        type === 'histogram' ? bucketLines(family, labels, numbers) : [line(name, labels, numbers[0] ?? 0)],
      );
      if (lines.length === 0) return '';
      return `# HELP ${name} ${help.replace(/\\/g, '\\\\')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/** The buckets of the format hold what is at most their bound, and so all that is in the ones before. */
function bucketLines({ name, bounds }: Family, labels: string, numbers: Numbers): string[] {
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, at) => {
    count += numbers[at] ?? 0;
    return line(`${name}_bucket`, join(labels, `le="${number(bound)}"`), count);
  });
  const sum = numbers[bounds.length + 1] ?? 0;
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

const join = (...labels: string[]): string => labels.filter(Boolean).join(',');

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels ? `{${labels}}` : ''} ${number(value)}\n`;

const number = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
