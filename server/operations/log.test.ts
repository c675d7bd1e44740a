import { expect, test } from 'vitest';
import { openLog } from './log.ts';

/** A line of the log about something that was thrown. */
function lineOf(thrown: unknown): { error: unknown } {
  const lines: string[] = [];
  openLog({ write: (line) => void lines.push(line) }).error({ error: thrown }, 'it failed');
  return JSON.parse(lines.join(''));
}

const quoting = (more: object = {}) =>
  Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: '(tom@example.com)',
    where: 'COPY tom',
    ...more,
  });

test('an error is logged whole, but for what a database quotes of the row, however deep it stands', () => {
  expect(lineOf(quoting()).error).toMatchObject({
    type: 'Error',
    code: '23505',
    message: 'duplicate key',
    stack: expect.stringContaining('log.test.ts'),
  });
  for (const thrown of [
    quoting(),
    new AggregateError([quoting()], 'all'),
    quoting({ within: quoting() }),
    quoting({ within: [{ error: quoting() }] }),
    new Error('outer', { cause: quoting() }),
    { detail: 'tom@example.com', where: 'tom' },
  ])
    expect(JSON.stringify(lineOf(thrown))).not.toContain('tom');
});

test('whatever is thrown can be logged', () => {
  for (const thrown of [null, 'text', 7, true, [], {}]) expect(lineOf(thrown).error).toEqual(thrown);
  const circle = quoting();
  Object.assign(circle, { circle: { circle } });
  expect(lineOf(circle).error).toMatchObject({ code: '23505' });
  expect(lineOf(quoting({ at: new Date(0) })).error).toMatchObject({ at: '1970-01-01T00:00:00.000Z' });
});
