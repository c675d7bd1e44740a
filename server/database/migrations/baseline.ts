import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Engine } from '../schema.ts';
import { catalogue } from './catalogue.ts';
import { writeStatements } from './dialects.ts';
import { identity } from './identity.ts';
import { mail } from './mail.ts';
import { operations } from './operations.ts';
import { orders } from './orders.ts';
import { reviews } from './reviews.ts';
import { sales } from './sales.ts';
import { search } from './search.ts';
import { textFunctions } from './text-functions.ts';

/** Tables come before those that refer to them. */
const parts = [textFunctions, identity, catalogue, orders, reviews, sales, mail, search, operations];

const statements: Record<Engine, string[]> = {
  sqlite: writeStatements('sqlite', parts),
  postgres: writeStatements('postgres', parts),
};

/** The first 64 bits of the SHA-256 of all statements, in hexadecimal. */
const digest = createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16);

/** Creates the schema. Its name carries the digest, so that a database of another draft has an unknown migration. */
export const baseline = {
  name: `001-baseline-${digest}`,
  async up(db: Db, engine: Engine): Promise<void> {
    for (const statement of statements[engine]) await sql.raw(statement).execute(db);
  },
};
