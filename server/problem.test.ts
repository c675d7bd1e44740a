import pino from 'pino';
import { expect, test } from 'vitest';
import { errorTable } from './errors.ts';
import { problemResponse, toShopError } from './problem.ts';

/** What is answered where a database's error with this code comes through. */
function answerTo(code: string) {
  const error = Object.assign(new Error('of the database'), { code });
  const known = toShopError(error, pino({ level: 'silent' }), 'request-1');
  expect(known.message).not.toContain('of the database');
  const { headers } = problemResponse(known, 'request-1');
  return [errorTable[known.code].status, headers.get('retry-after')];
}

test.each(['ECONNREFUSED', '08006', '08P01', '53300', '53400', '57P01', '57P05'])(
  'a database that is away (%s) is 503, to be tried again in five seconds',
  (code) => expect(answerTo(code)).toEqual([503, '5']),
);

test.each(['40001', '40P01'])('a statement that met another one (%s) is 503, to be tried at once', (code) =>
  expect(answerTo(code)).toEqual([503, '1']),
);

test.each(['57014', '23505', '42601'])('any other error (%s) is ours', (code) =>
  expect(answerTo(code)).toEqual([500, null]),
);
