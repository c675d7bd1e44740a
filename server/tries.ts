import type { ExpressionBuilder } from 'kysely';
import type { Database } from './database/database.ts';
import type { Schema } from './database/schema.ts';
import { ShopError } from './errors.ts';

/** How many tries of each kind in ten minutes. Handed to the app, so that tests can raise them. */
export type Limits = {
  /** Failed sign-ins for a network address and e-mail together. */
  signInsForAddressAndEmail: number;
  signInsForAddress: number;
  signUpsForAddress: number;
  intentsForPerson: number;
  uploadsForPerson: number;
};

export const limits: Limits = {
  signInsForAddressAndEmail: 10,
  signInsForAddress: 50,
  signUpsForAddress: 30,
  intentsForPerson: 30,
  uploadsForPerson: 60,
};

const window = 10 * 60 * 1000;
/** One that ends later than this was opened before the clock was set back: it would last for as long. */
const latestEnd = (now: number) => now + 2 * window;

/**
 * Takes one of `max` tries under `name` in ten minutes, by one statement, so that guesses sent at the same
 * moment count each. Throws 429 with when to come back. Give a try that succeeded back with `giveBackTry`.
 */
export async function takeTry({ db }: Database, name: string, max: number): Promise<void> {
  const now = Date.now();
  const { count, ends_at } = await db
    .insertInto('tries')
    .values({ name, count: 1, ends_at: now + window })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({
        count: eb
          .case()
          .when(isOver(eb, now))
          .then(1)
          .else(eb('tries.count', '+', 1))
          .end(),
        ends_at: eb
          .case()
          .when(isOver(eb, now))
          .then(now + window)
          .else(eb.ref('tries.ends_at'))
          .end(),
      })),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
  if (count > max) {
    const retryAfter = Math.max(1, Math.ceil((ends_at - now) / 1000));
    throw new ShopError(
      'too_many_tries',
      `Too many tries: wait ${Math.ceil(retryAfter / 60)} minutes and try again.`,
      { retryAfter },
    );
  }
}

const isOver = (eb: ExpressionBuilder<Pick<Schema, 'tries'>, 'tries'>, now: number) =>
  eb.or([eb('tries.ends_at', '<=', now), eb('tries.ends_at', '>', latestEnd(now))]);

export async function giveBackTry({ db }: Database, name: string): Promise<void> {
  await db
    .updateTable('tries')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('name', '=', name)
    .where('count', '>', 0)
    .execute();
}

/** Forgets the windows that are over. */
export async function sweepTries({ db }: Database): Promise<void> {
  const now = Date.now();
  await db
    .deleteFrom('tries')
    .where((eb) => isOver(eb, now))
    .execute();
}
