import { type ActionFunction, type ActionFunctionArgs, data, redirect } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { requireAdmin, requireViewer } from '../client/access.ts';
import { CallFailed } from '../client/client.ts';
import { IdentityRefused } from '../client/identity.ts';
import { problemOf } from '../page-errors.ts';
import { productForm } from '../pages/dashboard/add-product/product.ts';
import { reviewForm } from '../pages/dashboard/add-review/review.ts';
import { deleteForm } from '../pages/dashboard/my-orders/delete.ts';
import { passwordForm } from '../pages/dashboard/profile/password.ts';
import { profileForm } from '../pages/dashboard/profile/profile.ts';
import { loginForm } from '../pages/entrance/login.ts';
import { signupForm } from '../pages/entrance/signup.ts';
import { orderForm } from '../pages/purchase/order.ts';
import { type Refused, type ShopForm, sortRefusal } from './shop-form.ts';
import { post, visit } from '../client/visit.ts';

/** What the server does with a form that is posted to a page without its script, by route id. */
export const actions: Record<string, ActionFunction> = {
  login: async (args) => answer(args, await read(args), loginForm(searchOf(args))),
  signup: async (args) => answer(args, await read(args), signupForm(searchOf(args))),
  purchase: async (args) => {
    const viewer = requireViewer(args);
    const params = { id: args.params.productId ?? '' };
    const product = await args.context.get(visit).client.call('getProduct', { params });
    const posted = await read(args);
    return answer(args, posted, orderForm(product, viewer, keyIn(posted)));
  },
  'dashboard/profile': async (args) => {
    const viewer = requireViewer(args);
    const posted = await read(args);
    return textOf(posted, 'form') === passwordForm.name
      ? answer(args, posted, passwordForm)
      : answer(args, posted, profileForm(viewer));
  },
  'dashboard/my-orders': async (args) => {
    requireViewer(args);
    return answer(args, await read(args), deleteForm);
  },
  'dashboard/add-review': async (args) => {
    const viewer = requireViewer(args);
    const posted = await read(args);
    return answer(args, posted, reviewForm(viewer, keyIn(posted)));
  },
  'dashboard/add-product': async (args) => {
    await requireAdmin(args);
    const posted = await read(args);
    return answer(args, posted, productForm(keyIn(posted)));
  },
  'sign-out': async ({ context }) => {
    await context
      .get(post)
      .sender.askIdentity('/sign-out', {})
      .catch((error: unknown) => {
        if (!(error instanceof IdentityRefused)) throw error;
        throw new CallFailed({ ...problemOf(error), status: error.status, detail: error.message });
      });
    return redirect('/');
  },
};

const read = ({ request }: ActionFunctionArgs): Promise<FormData> => request.formData();
const searchOf = ({ request }: ActionFunctionArgs) => new URL(request.url).searchParams;
const keyIn = (posted: FormData) => textOf(posted, 'key');

function textOf(posted: FormData, field: string): string {
  const value = posted.get(field);
  return typeof value === 'string' ? value : '';
}

/** Sends a posted form, then redirects, or shows it again with its errors. */
async function answer<Values>({ context }: ActionFunctionArgs, posted: FormData, form: ShopForm<Values>) {
  const { sender, pictureProblem } = context.get(post);
  const typed = Object.fromEntries(form.fields.map((field) => [field, textOf(posted, field)]));
  const { read = {}, secrets = [] } = form;
  const toRead = Object.entries(typed).map(([field, value]) => [field, read[field]?.(value) ?? value]);
  const judged = form.judge(Object.fromEntries(toRead));
  const refuse = (status: number, refusal: Pick<Refused, 'errors' | 'root'>) => {
    const values = Object.fromEntries(Object.entries(typed).filter(([field]) => !secrets.includes(field)));
    const refused: Refused = { form: form.name, values: { ...values, key: keyIn(posted) }, ...refusal };
    return data(refused, { status });
  };
  const shown = textOf(posted, 'viewer');
  const { viewer } = context.get(visit);
  if (viewer && shown && shown !== viewer._id) return refuse(409, { errors: {}, root: otherAccount(viewer) });
  const wrong = 'errors' in judged ? judged.errors : {};
  if (pictureProblem) wrong.img = pictureProblem.detail;
  if (Object.keys(wrong).length > 0 || 'errors' in judged) return refuse(422, { errors: wrong });
  try {
    await form.send(sender, judged.values);
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined) throw error;
    return refuse(status, sortRefusal(error, form.fields));
  }
  return redirect(form.done ? `${form.next}?done=${form.done}` : form.next);
}

/** The form was shown to another account than the one that the browser's cookie names now. */
const otherAccount = ({ name, email }: Viewer): string =>
  `You are now signed in as ${name} (${email}). Nothing was sent. Send the form again to continue as ${name}.`;

/** Undefined for unexpected errors, and for a session that has just ended, which the page itself reports. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof IdentityRefused) return error.status;
  return error instanceof CallFailed && error.problem.status !== 401 ? error.problem.status : undefined;
}
