import { ShopError } from '../../contract/errors.ts';
import { describeFileError, describePostgresError } from '../database/errors.ts';

/** One sentence about a setting, a file or the database, printed before the process exits. Only a bug has a stack. */
export function toOperatorMessage(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  const sentence = describeFileError(error) ?? describePostgresError(error);
  return sentence ?? ((error instanceof Error && error.stack) || String(error));
}
