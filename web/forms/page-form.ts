import { type ActionFunction, type ActionFunctionArgs, data, redirect } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { ApiError } from '../client/api/client.ts';
import { IdentityError } from '../client/api/identity.ts';
import { requireAdmin, requireViewer } from '../client/route-access.ts';
import { actionContext, loaderContext } from '../client/route-context.ts';
import { type FormSender, type RejectedForm, toFormErrors, type ValidationResult } from './shop-form.ts';

/** What a form is sent with. */
export type FormContext = FormSender & {
  /** The parameters of the page's path. */
  params: Readonly<Record<string, string | undefined>>;
  viewer: Viewer | undefined;
  /** The key from the page's `createFormKey`, for `getIdempotencyKey`. */
  key: string;
};

type Definition<Values, Result> = {
  /** Distinguishes the forms of one page. */
  name: string;
  /** Field names in page order. */
  fields: readonly string[];
  /** Fields whose values are never sent back to the browser, such as passwords. */
  secretFields?: readonly string[];
  /** Fields with the viewer's own details. If another user has signed in since the page was rendered, they are not carried over. */
  personalFields?: readonly string[];
  /** Who may send it. The API decides, too: a post without scripts is sent to the sign-in page instead. */
  access: 'anyone' | 'user' | 'admin';
  /** Parsers for fields that are not text. */
  parse?: Readonly<Record<string, (input: string) => unknown>>;
  validate: (input: unknown, viewer: Viewer | undefined) => ValidationResult<Values>;
  /** Throws `ApiError` or `IdentityError`. */
  send: (context: FormContext, values: Values) => Promise<Result>;
  /** The page to open when it is done, with the `?done=` code that tells the page what to say. */
  donePage: (context: FormContext, result: Result) => string;
  /** With scripts, the page stays instead, and `usePageForm` calls `onDone`. */
  stays?: true;
};

/** What the page gets of a form that does not lead to another page. */
export type FormResult<Result> =
  | { form: string; isDone: true; result: Result }
  /** `status` is 0 if there was no response. */
  | (RejectedForm & { isDone: false; status: number; isSignedOut: boolean });

/** A form of the shop. The router runs it in the browser, and on the server for a post without scripts. */
export type PageForm<Result = unknown> = {
  name: string;
  fields: readonly string[];
  /** The messages for fields that are wrong. */
  check: (formData: FormData, viewer: Viewer | undefined) => Record<string, string>;
  /** Validates and sends the form. Returns a redirect to the page that says what is done, or the result. */
  submit: (
    args: ActionFunctionArgs,
    formData: FormData,
  ) => Promise<Response | ReturnType<typeof data<FormResult<Result>>>>;
};

/** The action of a page with these forms. Each posts its name as `form`. */
export const actionFor =
  (...forms: readonly PageForm[]): ActionFunction =>
  async (args) => {
    const formData = await args.request.formData();
    const posted = getText(formData, 'form');
    const form = forms.find(({ name }) => name === posted);
    if (!form) throw data(null, { status: 400, statusText: 'This page has no such form.' });
    return form.submit(args, formData);
  };

export function defineForm<Values, Result>(definition: Definition<Values, Result>): PageForm<Result> {
  const { name, fields, secretFields = [], personalFields = [], access, parse = {}, validate } = definition;
  const read = (formData: FormData) => fields.map((field) => [field, getText(formData, field)] as const);
  const parseAndValidate = (formData: FormData, viewer: Viewer | undefined) => {
    const parsed = read(formData).map(([field, value]) => [
      field,
      parse[field] ? parse[field](value) : value,
    ]);
    return validate(Object.fromEntries(parsed), viewer);
  };

  return {
    name,
    fields,
    check(formData, viewer) {
      const result = parseAndValidate(formData, viewer);
      return 'errors' in result ? result.errors : {};
    },
    async submit(args, formData) {
      const { sender, post } = args.context.get(actionContext);
      if (post && access !== 'anyone') requireViewer(args);
      if (post && access === 'admin') await requireAdmin(args);
      const { viewer } = args.context.get(loaderContext);
      const key = getText(formData, 'key');
      const context: FormContext = { ...sender, params: args.params, viewer, key };
      const reject = (
        status: number,
        formErrors: Pick<RejectedForm, 'errors' | 'root'>,
        { hiddenFields = secretFields, isSignedOut = false } = {},
      ) => {
        const values = Object.fromEntries(read(formData).filter(([field]) => !hiddenFields.includes(field)));
        const rejected = {
          form: name,
          isDone: false as const,
          status,
          isSignedOut,
          // A refused refund is recorded under its key, so another attempt needs a new one.
          values: { ...values, key: status === 402 ? '' : key },
          ...formErrors,
        };
        return data(rejected, { status: status || 503 });
      };
      const renderedFor = getText(formData, 'viewer');
      if (viewer && renderedFor && renderedFor !== viewer._id) {
        const details = personalFields.map((field) => getText(formData, field));
        const root = describeOtherAccount(viewer, details);
        return reject(409, { errors: {}, root }, { hiddenFields: [...secretFields, ...personalFields] });
      }
      const validated = parseAndValidate(formData, viewer);
      const errors = 'errors' in validated ? validated.errors : {};
      if (post?.imageProblem) errors.img = post.imageProblem.detail;
      if (Object.keys(errors).length > 0 || 'errors' in validated) return reject(422, { errors });
      try {
        const result = await definition.send(context, validated.values);
        if (post || !definition.stays) return redirect(definition.donePage(context, result));
        return data({ form: name, isDone: true as const, result });
      } catch (error) {
        const status = getErrorStatus(error);
        const isSignedOut = error instanceof ApiError && status === 401;
        // Without scripts, the page itself reports them.
        if (post && (isSignedOut || status === undefined)) throw error;
        return reject(status ?? 0, toFormErrors(error, fields), { isSignedOut });
      }
    },
  };
}

function getText(formData: FormData, field: string): string {
  const value = formData.get(field);
  return typeof value === 'string' ? value : '';
}

/** The error if the user has switched accounts since the form was rendered. `details` are those of the other account. */
function describeOtherAccount({ name, email }: Viewer, details: readonly string[]): string {
  const typed = details.filter(Boolean).map((detail) => `“${detail}”`);
  const dropped = typed.length > 0 ? ` The other account’s details were left out: ${typed.join(', ')}.` : '';
  return `You are now signed in as ${name} (${email}). Nothing was sent.${dropped} Check the form, and send it again to continue as ${name}.`;
}

/** Undefined for unexpected errors. */
function getErrorStatus(error: unknown): number | undefined {
  if (error instanceof IdentityError) return error.status;
  return error instanceof ApiError ? error.problem.status : undefined;
}
