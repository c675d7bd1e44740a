import type { Engine } from '../schema.ts';

/** What the schema's statements call differently on the two engines. Better Auth expects its own types of dates and flags. */
const types = {
  sqlite: {
    date: 'text',
    flag: 'integer',
    no: '0',
    bytes: 'blob',
    /** Text in the order of its bytes, which is that of prefixes. */
    byteText: 'text',
    /** Of an expression in an index, for the same reason. */
    byteOrder: '',
    /** An integer key of SQLite is the table itself. */
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

/** Statements that create a part of the schema. */
export type Statements = (dialect: ReturnType<typeof toDialect>) => string[];

export const writeStatements = (engine: Engine, parts: readonly Statements[]): string[] =>
  parts.flatMap((part) => part(toDialect(engine)));
