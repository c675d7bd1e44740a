import { ApiError, type Client } from '../client/api/client.ts';
import { getErrorMessage } from '../client/api/error-message.ts';
import { IdentityError } from '../client/api/identity.ts';

/** Sends a form: in the browser through the session, on the server through the posted form's own client. */
export type FormSender = {
  client: Client;
  callIdentity: (path: string, body: object) => Promise<unknown>;
  /**
   * Set in the browser if the form has images. Uploads the images that are not stored yet, and returns the URLs of all images.
   * Throws `ApiError`. The server has already stored the images of a plain post.
   */
  upload?: UploadImages;
};

export type UploadImages = (urls: readonly string[]) => Promise<string[]>;

export type ValidationResult<Values> = { values: Values } | { errors: Record<string, string> };

/** The values and errors of a rejected post, rendered into the form. */
export type RejectedForm = {
  form: string;
  values: Record<string, string>;
  errors: Record<string, string>;
  /** An error that concerns no single field. */
  root?: string;
};

/** The message of a form that shows one message for all errors. */
export const getFirstMessage = ({ root, errors }: Pick<RejectedForm, 'root' | 'errors'>): string =>
  root ?? Object.values(errors)[0] ?? '';

/** Converts an error into messages for the form's fields or, if it concerns none of them, for the form (`root`). */
export function toFormErrors(
  error: unknown,
  fields: readonly string[],
): { errors: Record<string, string>; root?: string } {
  const fieldErrors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const errors = Object.fromEntries(
    fieldErrors.filter(({ field }) => fields.includes(field)).map(({ field, message }) => [field, message]),
  );
  const field = error instanceof IdentityError && findField(String(error.code), fields);
  if (field) errors[field] = error.message;
  return Object.keys(errors).length > 0 ? { errors } : { errors, root: getErrorMessage(error) };
}

/**
 * The fields that can show an error of the identity service, by its code. The message appears at the first of these fields that
 * the form has.
 */
const identityFields: [code: RegExp, fields: string[]][] = [
  [/^PASSWORD_TOO_/, ['newPassword', 'password']],
  [/^INVALID_PASSWORD$/, ['currentPassword', 'password']],
  [/^USER_ALREADY_EXISTS/, ['email']],
  [/^INVALID_BACKUP_CODE$/, ['code']],
];

function findField(code: string, fields: readonly string[]): string | undefined {
  const [, candidates] = identityFields.find(([pattern]) => pattern.test(code)) ?? [];
  return candidates
    ? candidates.find((field) => fields.includes(field))
    : fields.find((field) => code === `INVALID_${field.toUpperCase()}`);
}
