import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Engine } from '../schema.ts';
import { catalogueTables } from './catalogue.ts';
import { writeStatements } from './dialects.ts';
import { identityTables } from './identity.ts';
import { mailTables } from './mail.ts';
import { operationsTables } from './operations.ts';
import { orderTables } from './orders.ts';
import { reviewTables } from './reviews.ts';
import { salesTables } from './sales.ts';
import { searchTables } from './search.ts';
import { textFunctions } from './text-functions.ts';

/** A table comes before the tables that reference it. */
const parts = [
  textFunctions,
  identityTables,
  catalogueTables,
  orderTables,
  reviewTables,
  salesTables,
  mailTables,
  searchTables,
  operationsTables,
];

const statements: Record<Engine, string[]> = {
  sqlite: writeStatements('sqlite', parts),
  postgres: writeStatements('postgres', parts),
};

/** The first 64 bits of the SHA-256 of all statements, in hexadecimal. */
const digest = createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16);

/** Creates the schema of 1.0. The name contains the digest, so a database of another draft has an unknown migration. */
export const baseline = {
  name: `001-baseline-${digest}`,
  async up(db: Db, engine: Engine): Promise<void> {
    for (const statement of statements[engine]) await sql.raw(statement).execute(db);
  },
};
