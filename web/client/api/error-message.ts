import { ApiError } from './client.ts';
import { IdentityError } from './identity.ts';

/** The message to show for an error. Unexpected errors reveal no details. */
export const getErrorMessage = (error: unknown): string =>
  error instanceof ApiError || error instanceof IdentityError
    ? error.message
    : 'Something went wrong. Try again in a moment.';
