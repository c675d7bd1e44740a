import { z } from 'zod';
import type { Table } from './introspection.ts';
import { standIns } from './tables.ts';

/*
 * A backup is a file of lines of JSON, packed by zstd (RFC 8878): a head, then each table with its rows behind it, then
 * an end with the SHA-256 of all lines before it. `zstd -d` and any language can read it.
 */

/** A value of a row: times are text in ISO 8601, flags 0 and 1. */
export type Cell = string | number | null | { base64: string };

export const head = z.object({
  backup: z.literal('hand-tools-shop'),
  /** Grows when a release that reads this one's files could not read the next one's. */
  format: z.int(),
  made: z.iso.datetime(),
  /** The steps that the database had behind it. */
  migrations: z.array(z.string().regex(/^[\w-]+$/)).min(1),
});
export type Head = z.output<typeof head>;
export const format = 1;

const kind = z.enum(['text', 'whole', 'bytes', 'text?', 'whole?', 'bytes?']);
export const table = z.object({
  table: z.string(),
  /** Of the stand-ins. */
  schema: z.literal(standIns).optional(),
  columns: z.record(z.string(), kind),
  key: z.array(z.string()).min(1),
});

export const end = z.object({ sha256: z.string() });

export function toTable({ table: name, schema, columns, key }: z.output<typeof table>): Table {
  return { schema, name, columns, key };
}
