import { describePostgresError } from './database/database.ts';
import { ShopError } from './errors.ts';
import { describeFileError } from './file-errors.ts';

/**
 * What the operator reads before the process exits: one sentence on a setting, a file or the database. The stack stands
 * there only for an error that is a bug.
 */
export function toOperatorMessage(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  return (
    describeFileError(error) ??
    describePostgresError(error) ??
    ((error instanceof Error && error.stack) || String(error))
  );
}
