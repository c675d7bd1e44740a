type Labels = Record<string, string>;
type Sample = { name: string; labels: Labels; value: number };

/** Parses the Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export function parseMetrics(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (!name) throw new Error(`Not a sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
        value: Number(value.replace('Inf', 'Infinity')),
      };
    });
}

/** The sum of the series with this name and these labels; undefined if there is none. */
export function readMetric(samples: Sample[], name: string, labels: Labels = {}): number | undefined {
  const matching = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return matching.length > 0 ? matching.reduce((sum, { value }) => sum + value, 0) : undefined;
}
