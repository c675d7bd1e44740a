import { z } from 'zod';

/*
 * A backup is lines of JSON, compressed by zstd (RFC 8878): a head, then each table followed by its rows, then the
 * SHA-256 of all lines before. `zstd -d` and any language can read it.
 */

/** Times are text in ISO 8601, booleans 0 and 1. */
export type Cell = string | number | null | { base64: string };

export const head = z.object({
  backup: z.literal('hand-tools-shop'),
  /** Increases when older releases can no longer read the file. */
  format: z.int(),
  made: z.iso.datetime(),
  /** The migrations that the database had applied. */
  migrations: z.array(z.string().regex(/^[\w-]+$/)).min(1),
});
export type Head = z.output<typeof head>;
export const format = 1;

export const table = z.object({
  table: z.string(),
  /** Only in files of earlier releases, which backed up the stand-ins' tables, too. */
  schema: z.literal('sandbox').optional(),
  columns: z.record(z.string(), z.enum(['text', 'whole', 'bytes', 'text?', 'whole?', 'bytes?'])),
  /** The columns of the primary key, in its order. */
  key: z.array(z.string()).min(1),
});
export type Table = Omit<z.output<typeof table>, 'schema'>;

export const end = z.object({ sha256: z.string() });
