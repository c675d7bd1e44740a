/**
 * What is counted, in the shapes of Prometheus (https://prometheus.io/docs/concepts/metric_types/): plain data, so
 * that processes can send it to one another and add it up.
 */
export type Family = {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** Of a histogram: the upper bounds of its buckets, rising. */
  bounds: readonly number[];
  /**
   * By their labels as they stand between the braces (`call="home",status="200"`). A counter or gauge has one number; a
   * histogram one for each bucket alone, one for what is above them all, and the sum.
   */
  series: Record<string, Numbers>;
};
export type Numbers = number[];
export type Labels = Record<string, string>;

export function makeFamily(
  type: Family['type'],
  name: string,
  help: string,
  bounds: readonly number[] = [],
): Family {
  return { name, help, type, bounds, series: {} };
}

/** The numbers under these labels, zeros at first. Keep them where each nanosecond counts, and add to them. */
export function seriesOf(family: Family, labels: Labels = {}): Numbers {
  const written = writeLabels(labels);
  const found = family.series[written];
  if (found) return found;
  const made = zeros(family);
  family.series[written] = made;
  return made;
}

export function setGauge(family: Family, value: number, labels?: Labels): void {
  seriesOf(family, labels)[0] = value;
}

export function add(numbers: Numbers, amount = 1): void {
  numbers[0] = (numbers[0] ?? 0) + amount;
}

/** Counts a value of a histogram with these bounds. */
export function observe(numbers: Numbers, bounds: readonly number[], value: number): void {
  let bucket = 0;
  while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
  numbers[bucket] = (numbers[bucket] ?? 0) + 1;
  const sum = bounds.length + 1;
  numbers[sum] = (numbers[sum] ?? 0) + value;
}

/** One of each family, with what all of them counted. A gauge that several have is the last one's. */
export function addUp(all: readonly Family[]): Family[] {
  const summed = new Map<string, Family>();
  for (const family of all) {
    const whole = summed.get(family.name) ?? { ...family, series: {} };
    summed.set(family.name, whole);
    for (const [labels, numbers] of Object.entries(family.series)) {
      const before = family.type === 'gauge' ? zeros(family) : (whole.series[labels] ?? zeros(family));
      whole.series[labels] = before.map((number, at) => number + (numbers[at] ?? 0));
    }
  }
  return [...summed.values()];
}

const zeros = ({ type, bounds }: Family): Numbers =>
  new Array<number>(type === 'histogram' ? bounds.length + 2 : 1).fill(0);

function writeLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
}
