import type { Engine } from '../schema.ts';

/** SQL that differs between the two engines. Better Auth expects certain types for dates and flags. */
const types = {
  sqlite: {
    date: 'text',
    flag: 'integer',
    no: '0',
    bytes: 'blob',
    /** Text that is sorted by its bytes, so that all texts with the same prefix are adjacent. */
    byteText: 'text',
    /** Sorts an expression in an index in the same way. */
    byteOrder: '',
    /** On SQLite, an `integer` primary key is the rowid and needs no index of its own. */
    integerKey: 'integer',
    /** Stores the rows in the index of the primary key. */
    clustered: 'without rowid',
  },
  postgres: {
    date: 'timestamptz',
    flag: 'boolean',
    no: 'false',
    bytes: 'bytea',
    byteText: 'text collate "C"',
    byteOrder: ' collate "C"',
    integerKey: 'bigint',
    clustered: '',
  },
} as const;

const toDialect = (engine: Engine) => ({ engine, ...types[engine] });

export type Dialect = ReturnType<typeof toDialect>;

/** Statements that create a part of the schema. */
export type Statements = (dialect: Dialect) => string[];

export const writeStatements = (engine: Engine, parts: readonly Statements[]): string[] =>
  parts.flatMap((part) => part(toDialect(engine)));
