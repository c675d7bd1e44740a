import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ShopError } from '../../contract/errors.ts';
import type { DatabaseLocation } from '../config/config.ts';

// Primary result codes of SQLite: https://sqlite.org/rescode.html
const busy = 5;
const full = 13;
/** CORRUPT, NOTADB. */
const damaged = [11, 26];
/** PERM, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const broken = [3, 6, 8, 10, 11, full, 14, 26];
const network =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

export const isLocked = (error: unknown): boolean => resultCode(error) === busy;

export const isDamaged = (error: unknown): boolean => damaged.includes(resultCode(error));

// SQLSTATE of PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html

/** serialization_failure and deadlock_detected: a retry may succeed. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

/** The server is a standby or has `default_transaction_read_only`. Its connections are closed (`postgres.ts`). */
export const isReadOnlyServer = (error: unknown): boolean => codeOf(error) === '25006';

/** unique_violation. SQLite has one writer at a time, so a check in the same transaction finds the duplicate first. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** foreign_key_violation: a referenced row has just been deleted. */
export const isOrphan = (error: unknown): boolean => codeOf(error) === '23503';

/** Temporarily unavailable: read-only, locked, unreachable (08), out of connections or memory (53 but not 531), shut down (57P). */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (isReadOnlyServer(error) || isLocked(error)) return true;
  if (network.test(code) || /^(08|53[^1]|57P)/.test(code)) return true;
  const lost = /Connection terminated|timeout exceeded when trying to connect|not queryable/;
  return error instanceof Error && lost.test(error.message);
}

/** The database needs an operator: a full (531) or failing (58) disk, corruption (XX00). */
export function isBroken(error: unknown): boolean {
  return broken.includes(resultCode(error)) || /^(531|58|XX00[12])/.test(codeOf(error));
}

function resultCode(error: unknown): number {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return 0;
  // The primary result code is the last byte of an extended one.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** The code of a driver's or the system's error, or ''. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** SQLite's errors lack the path, and so does EISDIR. */
export function attachPath(error: unknown, file: string): unknown {
  return error instanceof Error ? Object.assign(error, { path: file }) : error;
}

export function withErrorPath<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw attachPath(error, file);
  }
}

const advice: Record<string, string> = {
  EISDIR: 'is a folder, but must be a file: move it away and try again',
  ENOTDIR: 'is inside a file, not a folder (ENOTDIR): name a folder',
  EACCES: 'cannot be accessed by this user (EACCES): run this as its owner, or change its permissions',
  EPERM: 'cannot be accessed by this user (EPERM): run this as its owner, or change its permissions',
  EROFS: 'is on a read-only disk (EROFS): mount the disk writable, or set another DATA_DIR',
  ENOSPC: 'cannot be written because the disk is full (ENOSPC): free some space and try again',
  EDQUOT: 'cannot be written because the disk quota is used up (EDQUOT): free some space and try again',
};

export function describeCode(subject: string, code: string): string {
  return `${subject} ${advice[code] ?? `cannot be used (${code}): check it and its disk, and try again`}.`;
}

/** One sentence about a file that cannot be used; undefined for any other error. */
export function describeFileError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return undefined;
  const { path } = error;
  if (isLocked(error))
    return `${path} is locked by another program (database is locked): stop it and try again.`;
  if (isDamaged(error))
    return `${path} is damaged (${error.message}): restore a backup into an empty DATA_DIR.`;
  if (isBroken(error)) return describeCode(path, findReason(error, path) || error.message);
  return 'syscall' in error ? describeCode(path, codeOf(error)) : undefined;
}

/** The system's error code. SQLite reports that it failed, but not why, so this asks the file system. */
function findReason(error: Error, path: string): string {
  if (resultCode(error) === full) return 'ENOSPC';
  try {
    if (statSync(path).isDirectory()) return 'EISDIR';
    accessSync(path, constants.R_OK | constants.W_OK);
    // On a full disk, some of SQLite's files fail with a plain I/O error.
    return statfsSync(dirname(path)).bavail === 0 ? 'ENOSPC' : '';
  } catch (failure) {
    return codeOf(failure);
  }
}

/** One sentence if PostgreSQL cannot be reached or does not work; undefined for any other error. */
export function describePostgresError(error: unknown): string | undefined {
  return isUnavailable(error) || isBroken(error) ? describeUrl(error) : undefined;
}

/** One sentence on why the database cannot be used, without its URL, which contains a password. */
export function toDatabaseError(location: DatabaseLocation, cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  const sentence =
    'file' in location
      ? (describeFileError(cause) ??
        `The database ${location.file} in DATA_DIR cannot be opened: ${reasonOf(cause)}.`)
      : describeUrl(cause);
  return new ShopError('bad_setting', sentence, { cause });
}

const describeUrl = (cause: unknown) =>
  `DATABASE_URL names a database that cannot be used: ${reasonOf(cause)}.`;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return (cause.message || codeOf(cause) || cause.name).replace(/[.\s]*$/, '');
}

/** One sentence about a setting, a file or the database, printed before the process exits. Only a bug has a stack. */
export function toOperatorMessage(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  const sentence = describeFileError(error) ?? describePostgresError(error);
  return sentence ?? ((error instanceof Error && error.stack) || String(error));
}
