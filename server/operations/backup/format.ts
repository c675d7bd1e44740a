import { z } from 'zod';

/*
 * A backup is lines of JSON, compressed by zstd (RFC 8878): a head, then each table followed by its rows, then the
 * SHA-256 of all lines before. `zstd -d` and any language can read it.
 */

/** Times are text in ISO 8601, booleans 0 and 1. */
export type BackupCell = string | number | null | { base64: string };

export const headLine = z.object({
  backup: z.literal('hand-tools-shop'),
  /** Increases when older releases can no longer read the file. */
  format: z.int(),
  made: z.iso.datetime(),
  /** The migrations that the database had applied. */
  migrations: z.array(z.string().regex(/^[\w-]+$/)).min(1),
});
export type BackupHead = z.output<typeof headLine>;
export const formatVersion = 1;

export const tableLine = z.object({
  table: z.string(),
  /** Only in backups by earlier releases, which included the stand-ins' tables. */
  schema: z.literal('sandbox').optional(),
  columns: z.record(z.string(), z.enum(['text', 'whole', 'bytes', 'text?', 'whole?', 'bytes?'])),
  /** The columns of the primary key, in its order. */
  key: z.array(z.string()).min(1),
});
export type BackupTable = Omit<z.output<typeof tableLine>, 'schema'>;

export const endLine = z.object({ sha256: z.string() });
