import { expect, test } from 'vitest';
import { openLog } from './log.ts';

/** The log line for a thrown value. */
function logThrown(thrown: unknown): { error: unknown } {
  const lines: string[] = [];
  openLog({ write: (line) => void lines.push(line) }).error({ error: thrown }, 'it failed');
  return JSON.parse(lines.join(''));
}

const makeRowError = (more: object = {}) =>
  Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: '(tom@example.com)',
    where: 'COPY tom',
    ...more,
  });

test('an error is logged without the row that the database quotes, at any depth', () => {
  expect(logThrown(makeRowError()).error).toMatchObject({
    type: 'Error',
    code: '23505',
    message: 'duplicate key',
    stack: expect.stringContaining('log.test.ts'),
  });
  for (const thrown of [
    makeRowError(),
    new AggregateError([makeRowError()], 'all'),
    makeRowError({ within: makeRowError() }),
    makeRowError({ within: [{ error: makeRowError() }] }),
    new Error('outer', { cause: makeRowError() }),
    { detail: 'tom@example.com', where: 'tom' },
  ])
    expect(JSON.stringify(logThrown(thrown))).not.toContain('tom');
});

test('any thrown value can be logged', () => {
  for (const thrown of [null, 'text', 7, true, [], {}]) expect(logThrown(thrown).error).toEqual(thrown);
  const circular = makeRowError();
  Object.assign(circular, { self: { circular } });
  expect(logThrown(circular).error).toMatchObject({ code: '23505' });
  expect(logThrown(makeRowError({ at: new Date(0) })).error).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
  });
});
