import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBroken, isDamaged, isFull, isLocked } from './database/trouble.ts';

/** Sets the file that an error is about: SQLite's errors name none, nor does the one for reading a folder. */
export function nameFile(error: unknown, file: string): unknown {
  return error instanceof Error ? Object.assign(error, { path: file }) : error;
}

/** As `nameFile`, for whatever `work` throws. */
export function namingFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw nameFile(error, file);
  }
}

/** One sentence for the operator on a file that cannot be used; undefined if the error is about something else. */
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
  EACCES: 'may not be used by this user (EACCES): run this as its owner, or change its permissions',
  EPERM: 'may not be used by this user (EPERM): run this as its owner, or change its permissions',
  EROFS: 'is on a disk that is mounted read-only (EROFS): make that writable, or set another DATA_DIR',
  ENOSPC: 'cannot be written because the disk is full (ENOSPC): free some space and try again',
  EDQUOT: 'cannot be written because the disk quota is used up (EDQUOT): free some space and try again',
};

/** A sentence on `what` by the system's code for what is wrong with it. */
export function describeCode(what: string, code: string): string {
  return `${what} ${advice[code] ?? `cannot be used (${code}): check it and its disk, and try again`}.`;
}

/** SQLite says that it could not, not why; the file system knows more. */
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
    // Where the disk is full, some of SQLite's files fail with a plain I/O error.
    return statfsSync(dirname(path)).bavail === 0 ? 'ENOSPC' : undefined;
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
