/*
 * Classifies the errors of the database drivers: SQLite's primary result codes (https://sqlite.org/rescode.html),
 * PostgreSQL's SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), Node's network codes.
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

/** Another process is writing to the same SQLite file. */
export function isLocked(error: unknown): boolean {
  return resultCode(error) === busy;
}

/** The SQLite file is damaged, or is not a SQLite file at all. */
export function isDamaged(error: unknown): boolean {
  return damaged.has(resultCode(error));
}

/** The SQLite file cannot grow: the disk or the quota is full. */
export function isFull(error: unknown): boolean {
  return resultCode(error) === full;
}

/** PostgreSQL's serialization_failure and deadlock_detected: a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** The database is temporarily unavailable: locked, shut down, unreachable, or out of connections. */
export function isUnavailable(error: unknown): boolean {
  if (isLocked(error)) return true;
  const code = codeOf(error);
  if (network.has(code) || /^(08|53[^1]|57P)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(error.message)
  );
}

/** The database needs an operator: a full or failing disk, a read-only standby. */
export function isBroken(error: unknown): boolean {
  return broken.has(resultCode(error)) || /^(531|58|25006|XX00[12])/.test(codeOf(error));
}

/** The primary result code is the last byte of an extended one. */
function resultCode(error: unknown): number {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return 0;
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
