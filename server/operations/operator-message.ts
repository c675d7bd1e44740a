import { ShopError } from '../../contract/errors.ts';
import { describeFileError, describePostgresError } from '../database/errors.ts';

/**
 * The message printed before the process exits: one sentence about a setting, a file or the database. Only a bug prints
 * its stack.
 */
export function toOperatorMessage(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  return (
    describeFileError(error) ??
    describePostgresError(error) ??
    ((error instanceof Error && error.stack) || String(error))
  );
}
