import pino from 'pino';
import { expect, test } from 'vitest';
import { errorTable } from '../../contract/errors.ts';
import { problemResponse, toShopError } from './problem.ts';

/** What is answered where a database's error with this code comes through. */
function answerTo(code: string, errcode?: number) {
  const error = Object.assign(new Error('of the database'), { code, errcode });
  const known = toShopError(error, pino({ level: 'silent' }), 'request-1');
  expect(known.message).not.toContain('of the database');
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
])('a database that is away (%s) is 503, to be tried again in five seconds', (code) =>
  expect(answerTo(code)).toEqual([503, '5']),
);

// Its disk is full or fails, it only reads; of SQLite's codes: busy, I/O error (and that of a write), corrupt, full.
test.each([
  ['53100', 0],
  ['58030', 0],
  ['25006', 0],
  ...[5, 10, 778, 11, 13].map((errcode): [string, number] => ['ERR_SQLITE_ERROR', errcode]),
] satisfies [string, number][])('a database that cannot do its work (%s %s) is 503, too', (code, errcode) =>
  expect(answerTo(code, errcode)).toEqual([503, '5']),
);

test.each(['40001', '40P01'])('a statement that met another one (%s) is 503, to be tried at once', (code) =>
  expect(answerTo(code)).toEqual([503, '1']),
);

test.each(['57014', '23505', '42601', 'ERR_SQLITE_ERROR'])('any other error (%s) is ours', (code) =>
  expect(answerTo(code)).toEqual([500, null]),
);
