import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBroken, isDamaged, isFull, isLocked } from './errors.ts';

/** Adds the file's path to an error: SQLite's errors lack it, and so does EISDIR. */
export function attachPath(error: unknown, file: string): unknown {
  return error instanceof Error ? Object.assign(error, { path: file }) : error;
}

/** Runs `work` and adds the file's path to any error that it throws. */
export function withErrorPath<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw attachPath(error, file);
  }
}

/** One sentence for the operator about a file that cannot be used; undefined for any other error. */
export function describeFileError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return undefined;
  const { path } = error;
  if (isLocked(error))
    return `${path} is locked by another program (database is locked): stop it and try again.`;
  if (isBroken(error)) return describeSqlite(error, path);
  return 'syscall' in error ? describeCode(path, codeOf(error)) : undefined;
}

const advice: Record<string, string> = {
  EISDIR: 'is a folder, but must be a file: move it away and try again',
  EACCES: 'cannot be accessed by this user (EACCES): run this as its owner, or change its permissions',
  EPERM: 'cannot be accessed by this user (EPERM): run this as its owner, or change its permissions',
  EROFS: 'is on a read-only disk (EROFS): mount the disk writable, or set another DATA_DIR',
  ENOSPC: 'cannot be written because the disk is full (ENOSPC): free some space and try again',
  EDQUOT: 'cannot be written because the disk quota is used up (EDQUOT): free some space and try again',
};

/** One sentence that starts with `subject` and explains the system's error code. */
export function describeCode(subject: string, code: string): string {
  return `${subject} ${advice[code] ?? `cannot be used (${code}): check it and its disk, and try again`}.`;
}

/** SQLite reports that it failed, but not why, so this asks the file system. */
function describeSqlite(error: Error, path: string): string {
  if (isFull(error)) return describeCode(path, 'ENOSPC');
  if (isDamaged(error))
    return `${path} is damaged (${error.message}): restore a backup into an empty DATA_DIR.`;
  return describeCode(path, findReason(path) ?? error.message);
}

function findReason(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return 'EISDIR';
    accessSync(path, constants.R_OK | constants.W_OK);
    // On a full disk, some of SQLite's files fail with a plain I/O error.
    return statfsSync(dirname(path)).bavail === 0 ? 'ENOSPC' : undefined;
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
