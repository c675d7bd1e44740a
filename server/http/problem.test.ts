import pino from 'pino';
import { expect, test } from 'vitest';
import { errorTable } from '../../contract/errors.ts';
import { problemResponse, toShopError } from './problem.ts';

/** The status and Retry-After for a database error with this code. */
function respondTo(code: string, errcode?: number) {
  const error = Object.assign(new Error('from the database'), { code, errcode });
  const known = toShopError(error, pino({ level: 'silent' }), 'request-1');
  expect(known.message).not.toContain('from the database');
  const { headers } = problemResponse(known, 'request-1');
  return [errorTable[known.code].status, headers.get('retry-after')];
}

test.each([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
  '08006',
  '08P01',
  '53300',
  '53400',
  '57P01',
  '57P05',
])('an unavailable database (%s) is a 503 with Retry-After: 5', (code) =>
  expect(respondTo(code)).toEqual([503, '5']),
);

// A full or failing disk, a read-only database; SQLite: busy, I/O error (in general, of a write), corrupt, full.
test.each([
  ['53100', 0],
  ['58030', 0],
  ['25006', 0],
  ...[5, 10, 778, 11, 13].map((errcode): [string, number] => ['ERR_SQLITE_ERROR', errcode]),
] satisfies [string, number][])('a broken database (%s %s) is a 503, too', (code, errcode) =>
  expect(respondTo(code, errcode)).toEqual([503, '5']),
);

test.each(['40001', '40P01'])('a conflict (%s) is a 503 with Retry-After: 1', (code) =>
  expect(respondTo(code)).toEqual([503, '1']),
);

test.each(['57014', '23505', '42601', 'ERR_SQLITE_ERROR'])('any other error (%s) is a 500', (code) =>
  expect(respondTo(code)).toEqual([500, null]),
);
