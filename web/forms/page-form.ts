import type { Viewer } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import { ApiError } from '../client/api/client.ts';
import { IdentityError } from '../client/api/identity.ts';
import {
  type FormSender,
  type RejectedForm,
  toFormErrors,
  type UploadImages,
  type ValidationResult,
} from './form-results.ts';

/** The parameters of the page's path. */
type Params = Readonly<Record<string, string | undefined>>;

/** The arguments of a form's `send`. */
export type FormContext = FormSender & {
  /** The key from the page's `createFormKey`, for `getIdempotencyKey`. */
  key: string;
  upload: UploadImages;
};

/** The users who may send a form. After a post without scripts, others see the sign-in page. The API checks access as well. */
type Access = 'anyone' | 'user' | 'admin';

type Definition<Values, Result> = {
  /** Distinguishes the forms of one page. */
  name: string;
  /** Field names in page order. */
  fields: readonly string[];
  /** Matches the names of further fields, in a form whose number of fields varies. */
  moreFields?: RegExp;
  /**
   * Changes the form instead of sending it, such as by adding a row, if a button named `step` was pressed. `step` is the button's
   * value.
   */
  change?: (values: Record<string, string>, step: string) => Record<string, string>;
  /** Fields whose values are never sent back to the browser, such as passwords. */
  secretFields?: readonly string[];
  /** Fields whose values are in the page's URL, such as the token of a link in a message. The page itself must not contain them. */
  urlFields?: readonly string[];
  /**
   * Fields with the viewer's own details. If another user has signed in since the page was rendered, these fields are not carried
   * over.
   */
  personalFields?: readonly string[];
  access: Access;
  /** Parsers for fields that are not text. */
  parse?: Readonly<Record<string, (input: string) => unknown>>;
  validate: (input: unknown) => ValidationResult<Values>;
  /** Throws `ApiError` or `IdentityError`. */
  send: (context: FormContext, values: Values) => Promise<Result>;
  /** The page to open when a post is done. The `?done=` code in its URL selects the message to show. */
  donePage: (result: Result, params: Params) => string;
};

/**
 * The outcome of sending a form. For a rejected form, `error` is the error of the call, and `status` is 0 if there was no
 * response.
 */
export type FormResult<Result> =
  | { isDone: true; result: Result; donePage: (params?: Params) => string }
  | RejectedResult;
export type RejectedResult = RejectedForm & { isDone: false; status: number; error: unknown };

/** Whether the page can be loaded again after sending a form. Without a connection, that would fail as well. */
export const canReload = (result: FormResult<unknown>): boolean => result.isDone || result.status > 0;

/** A form of the shop. With scripts, its page sends it in the browser; otherwise, the server sends it after a plain post. */
export type PageForm<Result = unknown> = {
  name: string;
  fields: readonly string[];
  urlFields: readonly string[];
  access: Access;
  /** The messages for fields that are wrong. */
  check: (formData: FormData) => Record<string, string>;
  /** Validates and sends the form. Never throws. */
  send: (
    sender: FormSender,
    viewer: Viewer | undefined,
    formData: FormData,
    imageProblem?: Problem,
  ) => Promise<FormResult<Result>>;
};

export function defineForm<Values, Result>(definition: Definition<Values, Result>): PageForm<Result> {
  const { name, fields, moreFields, change, urlFields = [], personalFields = [] } = definition;
  const { access, parse = {}, validate } = definition;
  const secretFields = [...(definition.secretFields ?? []), ...urlFields];
  const shownFields = fields.filter((field) => !urlFields.includes(field));
  const listMore = (formData: FormData) =>
    moreFields ? [...formData.keys()].filter((field) => moreFields.test(field)) : [];
  const read = (formData: FormData) =>
    [...fields, ...listMore(formData)].map((field) => [field, getText(formData, field)] as const);
  const parseAndValidate = (formData: FormData) => {
    const parsed = read(formData).map(([field, value]) => [
      field,
      parse[field] ? parse[field](value) : value,
    ]);
    return validate(Object.fromEntries(parsed));
  };

  return {
    name,
    fields,
    urlFields,
    access,
    check(formData) {
      const result = parseAndValidate(formData);
      return 'errors' in result ? result.errors : {};
    },
    async send(sender, viewer, formData, imageProblem) {
      const key = getText(formData, 'key');
      const reject = (
        status: number,
        formErrors: Pick<RejectedForm, 'errors' | 'root'>,
        { hiddenFields = secretFields, error }: { hiddenFields?: readonly string[]; error?: unknown } = {},
      ): FormResult<Result> => ({
        form: name,
        isDone: false,
        status,
        error,
        // A refused refund is recorded under its key, so another attempt needs a new one.
        values: {
          ...Object.fromEntries(read(formData).filter(([field]) => !hiddenFields.includes(field))),
          key: status === 402 ? '' : key,
        },
        ...formErrors,
      });
      const renderedFor = getText(formData, 'viewer');
      if (viewer && renderedFor && renderedFor !== viewer._id) {
        const details = personalFields.map((field) => getText(formData, field));
        const root = describeOtherAccount(viewer, details);
        return reject(409, { errors: {}, root }, { hiddenFields: [...secretFields, ...personalFields] });
      }
      const step = getText(formData, 'step');
      if (change && step) {
        const values = change(Object.fromEntries(read(formData)), step);
        return { form: name, isDone: false, status: 200, error: undefined, values, errors: {} };
      }
      const validated = parseAndValidate(formData);
      const errors = 'errors' in validated ? validated.errors : {};
      if (imageProblem) errors.img = imageProblem.detail;
      if (Object.keys(errors).length > 0 || 'errors' in validated) return reject(422, { errors });
      try {
        const { upload = async (urls) => [...urls] } = sender;
        const result = await definition.send({ ...sender, upload, key }, validated.values);
        return { isDone: true, result, donePage: (params = {}) => definition.donePage(result, params) };
      } catch (error) {
        const ownFields = [...shownFields, ...listMore(formData)];
        return reject(getErrorStatus(error) ?? 0, toFormErrors(error, ownFields), { error });
      }
    },
  };
}

/** Adds the fields that a form takes from the URL of its page. */
export function addUrlFields({ urlFields }: PageForm, formData: FormData, search: URLSearchParams): void {
  for (const name of urlFields) formData.set(name, search.get(name) ?? '');
}

export function getText(formData: FormData, field: string): string {
  const value = formData.get(field);
  return typeof value === 'string' ? value : '';
}

/** A field as text, for `validate` on pages that load no schemas. The call validates it. */
export const textOf = (input: unknown, field: string): string =>
  String(new Map(Object.entries(input ?? {})).get(field) ?? '');

/** The error if the user has switched accounts since the form was rendered. `details` describe the other account. */
function describeOtherAccount({ name, email }: Viewer, details: readonly string[]): string {
  const typed = details.filter(Boolean).map((detail) => `“${detail}”`);
  const dropped = typed.length > 0 ? ` The other account’s details were left out: ${typed.join(', ')}.` : '';
  return `You are now signed in as ${name} (${email}). Nothing was sent.${dropped} Check the form, and send it again to continue as ${name}.`;
}

/** Undefined for unexpected errors. */
export function getErrorStatus(error: unknown): number | undefined {
  if (error instanceof IdentityError) return error.status;
  return error instanceof ApiError ? error.problem.status : undefined;
}
