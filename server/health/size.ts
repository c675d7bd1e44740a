import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** How many bytes the database takes on its disk; null where the engine does not say. */
export function readSize({ db, engine }: Database): Promise<number | null> {
  return engine === 'sqlite' ? ofFiles(db) : ofServer(db);
}

/** The file, and what is committed but not yet moved into it. */
async function ofFiles(db: Database['db']): Promise<number | null> {
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db);
  const file = rows.find(({ name }) => name === 'main')?.file;
  if (!file) return null;
  const sizes = [file, `${file}-wal`].map((path) => stat(path).then(({ size }) => size));
  const [main, log] = await Promise.allSettled(sizes);
  if (main?.status !== 'fulfilled') return null;
  return main.value + (log?.status === 'fulfilled' ? log.value : 0);
}

/** Engines that only speak PostgreSQL's protocol may lack the function, or keep it from us (SQLSTATE 42…, 0A…). */
async function ofServer(db: Database['db']): Promise<number | null> {
  try {
    const asked = sql<{ bytes: number | null }>`select pg_database_size(current_database()) as bytes`;
    const { rows } = await asked.execute(db);
    return rows[0]?.bytes ?? null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (/^(42|0A)/.test(code)) return null;
    throw error;
  }
}
