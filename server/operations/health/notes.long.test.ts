import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { openDatabase } from '../../database/database.ts';
import type { Engine } from '../../database/schema.ts';
import { openLog } from '../log.ts';
import { readFacts } from './facts.ts';
import { startHealthNotes } from './notes.ts';

async function open(engine: Engine) {
  const { place, drop } = await makeDatabase(engine, 'migrated');
  const database = await openDatabase(place);
  const lines: string[] = [];
  const log = openLog({ write: (line) => void lines.push(line) });
  const notes = startHealthNotes(database, log);
  return {
    database,
    log,
    lines,
    notes,
    read: async () => (await readFacts(database)).errors,
    async [Symbol.asyncDispose]() {
      await notes.stop();
      await database.close();
      await drop();
    },
  };
}

describe.each(engines)('on %s', (engine) => {
  test('errors and warnings about requests are counted by message, each with its last request', async () => {
    await using opened = await open(engine);
    const { log, notes, read } = opened;
    log.error({ requestId: 'first' }, 'it failed');
    log.error({ requestId: 'second' }, 'it failed');
    log.warn({ requestId: 'third' }, 'the provider was away');
    log.warn('something to know');
    log.info({ requestId: 'fourth' }, 'order paid');
    log.error('of no request');
    await notes.stop();
    const { count, kinds } = await read();
    expect(count).toBe(4);
    expect(kinds.map(({ what, times, requestId }) => [what, times, requestId]).toSorted()).toEqual([
      ['it failed', 2, 'second'],
      ['of no request', 1, null],
      ['the provider was away', 1, 'third'],
    ]);
  });

  test('varying messages add at most 51 rows an hour, and 10 are shown', async () => {
    await using opened = await open(engine);
    const { database, log, notes, read } = opened;
    for (let n = 0; n < 1000; n++) log.error({}, `failed with ${n} and a NUL \0 ${'x'.repeat(500)}`);
    await notes.stop();
    const { count, kinds } = await read();
    expect(count).toBe(1000);
    expect(kinds).toHaveLength(10);
    const rows = await database.db.selectFrom('error_count').selectAll().execute();
    // The hour may have ended meanwhile.
    expect(rows.length).toBeLessThanOrEqual(2 * 51);
    for (const { what } of rows) expect(what.length).toBeLessThanOrEqual(200);
  });

  test('notes that could not be saved are saved later, without an error', async () => {
    await using opened = await open(engine);
    const { database, log, lines, notes, read } = opened;
    await sql`alter table error_count rename to error_count_away`.execute(database.db);
    log.error({ requestId: 'first' }, 'it failed');
    await notes.stop();
    await sql`alter table error_count_away rename to error_count`.execute(database.db);
    log.error({ requestId: 'second' }, 'it failed');
    await notes.stop();
    expect((await read()).kinds).toMatchObject([{ what: 'it failed', times: 2, requestId: 'second' }]);
    expect(lines).toHaveLength(2);
  });

  test('during a save that hangs, no other save starts; stopping saves once more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await using opened = await open(engine);
    const { database, log, notes } = opened;
    const { statementsOf } = await recordStatements(async () => {
      // The lock of this transaction makes the first save wait. The renamed table then makes all saves fail.
      await database.transaction(async (tx) => {
        await sql`alter table error_count rename to error_count_away`.execute(tx);
        log.error({}, 'it failed');
        vi.advanceTimersByTime(60_000);
      });
      await notes.stop();
    });
    const saves = statementsOf(database.db).filter(({ sql }) => sql.startsWith('insert into "error_count"'));
    expect(saves).toHaveLength(2);
  });
});
