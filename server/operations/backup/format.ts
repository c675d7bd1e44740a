import { z } from 'zod';
import { codeOf } from '../../database/errors.ts';

/*
 * A backup is lines of JSON, compressed by zstd (RFC 8878): a head, then each table followed by its rows, then the
 * SHA-256 of all lines before. `zstd -d` and any language can read it.
 */

export const headLine = z.object({
  backup: z.literal('hand-tools-shop'),
  /** Increases when older releases can no longer read the file. */
  format: z.int(),
  made: z.iso.datetime(),
  migrations: z.array(z.string().regex(/^[\w-]+$/)).min(1),
});
export type BackupHead = z.output<typeof headLine>;
export const formatVersion = 1;

export const tableLine = z.object({
  table: z.string(),
  columns: z.record(z.string(), z.enum(['text', 'whole', 'bytes', 'text?', 'whole?', 'bytes?'])),
  /** The columns of the primary key, in its order. */
  key: z.array(z.string()).min(1),
});
export type BackupTable = z.output<typeof tableLine>;

/** How many of a table's rows are in memory at a time. An image has about 50 KB, at most 500. */
export const getBatchSize = ({ columns }: BackupTable): number =>
  Object.values(columns).includes('bytes') ? 20 : 1000;

export const endLine = z.object({ sha256: z.string() });

/** Times are text in ISO 8601, booleans 0 and 1. */
export type BackupCell = string | number | null | { base64: string };

/** Converts what either engine's driver returns, so that backups are the same from both. */
export function toCell(value: unknown): BackupCell {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  throw new TypeError(`A backup cannot hold ${typeof value} ${String(value)}`);
}

/** Both engines convert text and numbers to their column's type themselves. */
export const fromCell = (cell: BackupCell) =>
  typeof cell === 'object' && cell ? Buffer.from(cell.base64, 'base64') : cell;

/** An error from the file system, not from a database driver. */
export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && codeOf(error) !== '';
