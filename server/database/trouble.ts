/*
 * What is wrong with a database, by the errors of its drivers: SQLite's primary result codes
 * (https://sqlite.org/rescode.html), PostgreSQL's SQLSTATE, Node's codes of the network.
 */

const busy = 5;
const full = 13;
/** CORRUPT, NOTADB. */
const damaged = new Set([11, 26]);
/** PERM, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const broken = new Set([3, 6, 8, 10, 11, 13, 14, 26]);
const network = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);

/** Another process is writing into the same SQLite file. */
export function isLocked(error: unknown): boolean {
  return resultCode(error) === busy;
}

/** A SQLite file is damaged, or is not a SQLite file at all. */
export function isDamaged(error: unknown): boolean {
  return damaged.has(resultCode(error));
}

/** The database is away for a moment: locked, shut down, out of reach, or with too many connections. */
export function isAway(error: unknown): boolean {
  if (isLocked(error)) return true;
  const code = codeOf(error);
  if (network.has(code) || /^(08|53[^1]|57P)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(error.message)
  );
}

/** It is there and cannot do its work, until somebody helps: a full disk, one that fails, a standby that only reads. */
export function isBroken(error: unknown): boolean {
  return broken.has(resultCode(error)) || /^(531|58|25006|XX00[12])/.test(codeOf(error));
}

/** A SQLite file cannot grow: the disk, or the shop's share of it, is full. */
export function isFull(error: unknown): boolean {
  return resultCode(error) === full;
}

/** Of an extended code the primary one is the last byte. */
function resultCode(error: unknown): number {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return 0;
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
