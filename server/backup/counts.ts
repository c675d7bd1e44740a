import { amount } from '../../contract/health-words.ts';
import type { Table } from './introspection.ts';

/** How many rows of each table, by its name; the stand-ins' with their schema's before it. */
export type Counts = Map<string, number>;

export function count(counts: Counts, { schema, name }: Table, more: number): void {
  const full = schema ? `${schema}.${name}` : name;
  counts.set(full, (counts.get(full) ?? 0) + more);
}

/** Those that a shopkeeper knows, as the part of a sentence. */
export function describeCounts(counts: Counts): string {
  const of = (table: string, noun: string) => amount(counts.get(table) ?? 0, noun);
  return [
    of('user', 'account'),
    of('product', 'product'),
    of('orders', 'order'),
    of('payment', 'payment'),
    of('review', 'review'),
    of('picture', 'picture file'),
    `${of('audit', 'line')} of the audit log`,
  ].join(', ');
}
