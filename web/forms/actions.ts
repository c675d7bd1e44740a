import { type ActionFunction, type ActionFunctionArgs, data, redirect } from 'react-router';
import { isSignedOut } from '../client/api/api-errors.ts';
import { ApiError } from '../client/api/client.ts';
import { IdentityError } from '../client/api/identity.ts';
import { requireAdmin, requireViewer } from '../client/route-access.ts';
import { actionContext, loaderContext } from '../client/route-context.ts';
import { createReportForm } from '../components/reviews/review-report.ts';
import { toProblem } from '../page-errors.ts';
import { createPlaceForm, lineForm } from '../pages/basket/forms.ts';
import { createReviewForm, deleteReviewForm } from '../pages/dashboard/account/add-review/review.ts';
import { createDeletionForm } from '../pages/dashboard/account/delete-account/deletion.ts';
import { deleteForm } from '../pages/dashboard/account/my-orders/delete-order.ts';
import { confirmationForm } from '../pages/dashboard/account/profile/confirmation.ts';
import { emailForm } from '../pages/dashboard/account/profile/email.ts';
import { passwordForm } from '../pages/dashboard/account/profile/password.ts';
import { createProfileForm } from '../pages/dashboard/account/profile/profile.ts';
import { retryForm } from '../pages/dashboard/admin/health/retry-mail.ts';
import { shopDetailsForm } from '../pages/dashboard/admin/shop-details/shop-details.ts';
import { createAgainForm } from '../pages/dashboard/orders/again.ts';
import { unknownPaymentForm } from '../pages/dashboard/orders/all-orders/unknown-payment.ts';
import { createAssignForm } from '../pages/dashboard/orders/order/assign.ts';
import { deliveryForm } from '../pages/dashboard/orders/order/delivery.ts';
import { lateForm } from '../pages/dashboard/orders/order/late-payment.ts';
import { noteForm } from '../pages/dashboard/orders/order/note.ts';
import { owedForm } from '../pages/dashboard/orders/order/owed.ts';
import { createRefundForm } from '../pages/dashboard/orders/order/refund.ts';
import { refundAllForm } from '../pages/dashboard/orders/order/refund-all.ts';
import { returnForm } from '../pages/dashboard/orders/order/return.ts';
import { createShippingForm, listParcel, listUnshipped } from '../pages/dashboard/orders/order/shipping.ts';
import { createUndoForm } from '../pages/dashboard/orders/order/undo.ts';
import { createCountForm, readCounted } from '../pages/dashboard/products/count-products/count.ts';
import { archiveForm } from '../pages/dashboard/products/product/archive.ts';
import { productForm } from '../pages/dashboard/products/product/save.ts';
import { stockForm } from '../pages/dashboard/products/stock/adjust.ts';
import { createLoginForm } from '../pages/login.tsx';
import { createBasketForm, createOrderForm } from '../pages/purchase/order.ts';
import { createWaitForm } from '../pages/purchase/wait.ts';
import { createCodeForm } from '../pages/sign-in/code.ts';
import {
  createChangeAddressForm,
  createConfirmAddressForm,
  createResetForm,
  createSignupForm,
  forgotForm,
} from '../pages/sign-in/forms.ts';
import { createConfirmForm, createContactForm, createSubscribeForm } from './contact-forms.ts';
import { defineForm, getErrorStatus, getText, type PageForm } from './page-form.ts';
import type { ShopForm } from './shop-form.ts';

/** The server's handlers for forms that are submitted as plain HTML posts, by route id. */
export const actions: Record<string, ActionFunction> = {
  login: async (args) => handlePost(args, await readForm(args), createLoginForm(getSearchParams(args))),
  'login-code': async (args) => handlePost(args, await readForm(args), createCodeForm(getSearchParams(args))),
  signup: async (args) => handlePost(args, await readForm(args), createSignupForm(getSearchParams(args))),
  'forgot-password': async (args) => handlePost(args, await readForm(args), forgotForm),
  'reset-password': async (args) =>
    handlePost(args, await readForm(args), createResetForm(getSearchParams(args))),
  'confirm-address': async (args) => {
    requireViewer(args);
    return handlePost(args, await readForm(args), createConfirmAddressForm(getSearchParams(args)));
  },
  'sign-in/change-address': async (args) => {
    requireViewer(args);
    return handlePost(args, await readForm(args), createChangeAddressForm(getSearchParams(args)));
  },
  purchase: async (args) => {
    const viewer = requireViewer(args);
    const params = { id: args.params.productId ?? '' };
    const product = await args.context.get(loaderContext).client.call('getProduct', { params });
    const formData = await readForm(args);
    if (getText(formData, 'form') === 'report')
      return handlePost(args, formData, createReportForm(product._id));
    const waitForm = createWaitForm(product._id);
    if (getText(formData, 'form') === waitForm.name) return handlePost(args, formData, waitForm);
    return getText(formData, 'then') === 'basket'
      ? handlePost(args, formData, createBasketForm(product, getFormKey(formData)))
      : handlePost(args, formData, createOrderForm(product, viewer, getFormKey(formData)));
  },
  basket: async (args) => {
    requireViewer(args);
    const formData = await readForm(args);
    return getText(formData, 'form') === lineForm.name
      ? handlePost(args, formData, lineForm)
      : handlePost(args, formData, createPlaceForm(getFormKey(formData)));
  },
  'dashboard/account/profile': async (args) => {
    const viewer = requireViewer(args);
    const formData = await readForm(args);
    if (getText(formData, 'form') === confirmationForm.name)
      return handlePost(args, formData, confirmationForm);
    if (getText(formData, 'form') === emailForm.name) return handlePost(args, formData, emailForm);
    return getText(formData, 'form') === passwordForm.name
      ? handlePost(args, formData, passwordForm)
      : handlePost(args, formData, createProfileForm(viewer));
  },
  'dashboard/account/delete-account': async (args) => {
    const { email } = requireViewer(args);
    return handlePost(args, await readForm(args), createDeletionForm(email));
  },
  'dashboard/account/my-orders': async (args) => {
    requireViewer(args);
    return handlePost(args, await readForm(args), deleteForm);
  },
  'dashboard/orders/all-orders': async (args) => {
    await requireAdmin(args);
    return handlePost(args, await readForm(args), unknownPaymentForm);
  },
  'dashboard/orders/order': async (args) => {
    requireViewer(args);
    const formData = await readForm(args);
    const form = getText(formData, 'form');
    if (form === 'again') return handlePost(args, formData, createAgainForm(args.params.id ?? ''));
    const pageForm = [noteForm, returnForm, deliveryForm, owedForm, refundAllForm, lateForm].find(
      ({ name }) => name === form,
    );
    if (pageForm) return submit(pageForm, args, formData);
    await requireAdmin(args);
    const params = { id: args.params.id ?? '' };
    const purchase = await args.context.get(loaderContext).client.call('getPurchase', { params });
    const { number, orders } = purchase;
    const search = getSearchParams(args);
    const key = getFormKey(formData);
    if (form === 'assign') return handlePost(args, formData, createAssignForm(purchase));
    if (form === 'undo') return handlePost(args, formData, createUndoForm(number));
    if (form === 'ship') {
      const tracking = search.get('tracking');
      const parcel = tracking ? listParcel(purchase, tracking) : listUnshipped(purchase);
      return handlePost(args, formData, createShippingForm(number, parcel));
    }
    // Only an order of the page's own purchase, whatever the URL names.
    const order = orders.find(({ _id }) => _id === search.get('refund'))?._id ?? '';
    return handlePost(args, formData, createRefundForm(number, order, key));
  },
  'dashboard/account/add-review': async (args) => {
    const viewer = requireViewer(args);
    const formData = await readForm(args);
    if (getText(formData, 'form') === deleteReviewForm.name)
      return handlePost(args, formData, deleteReviewForm);
    const edited = getSearchParams(args).get('edit') || undefined;
    return handlePost(args, formData, createReviewForm(viewer, getFormKey(formData), edited));
  },
  'dashboard/products/add-product': async (args) => submit(productForm, args, await readForm(args)),
  'dashboard/products/product': async (args) => {
    const formData = await readForm(args);
    return submit(getText(formData, 'form') === archiveForm.name ? archiveForm : productForm, args, formData);
  },
  'dashboard/admin/shop-details': async (args) => {
    await requireAdmin(args);
    return handlePost(args, await readForm(args), shopDetailsForm);
  },
  'dashboard/admin/health': async (args) => {
    await requireAdmin(args);
    return handlePost(args, await readForm(args), retryForm);
  },
  'dashboard/products/count-products': async (args) => {
    const formData = await readForm(args);
    return submit(createCountForm(readCounted(getText(formData, 'form'))), args, formData);
  },
  'dashboard/products/product-stock': async (args) => submit(stockForm, args, await readForm(args)),
  contact: async (args) => handlePost(args, await readForm(args), createContactForm(getCall(args))),
  newsletter: async (args) => handlePost(args, await readForm(args), createSubscribeForm(getCall(args))),
  'newsletter/confirm': async (args) => {
    const token = getSearchParams(args).get('token') ?? '';
    return handlePost(args, await readForm(args), createConfirmForm(getCall(args), token));
  },
  'sign-out': async ({ context }) => {
    await context
      .get(actionContext)
      .sender.callIdentity('/sign-out', {})
      .catch((error: unknown) => {
        if (!(error instanceof IdentityError)) throw error;
        throw new ApiError({ ...toProblem(error), status: error.status, detail: error.message });
      });
    return redirect('/');
  },
};

const readForm = ({ request }: ActionFunctionArgs): Promise<FormData> => request.formData();
const getCall = ({ context }: ActionFunctionArgs) => context.get(actionContext).call;
const getSearchParams = ({ request }: ActionFunctionArgs) => new URL(request.url).searchParams;
const getFormKey = (formData: FormData) => getText(formData, 'key');

/** Sends a posted form, then redirects, or renders the form again with its errors. */
async function submit(form: PageForm, args: ActionFunctionArgs, formData: FormData) {
  if (form.access !== 'anyone') requireViewer(args);
  if (form.access === 'admin') await requireAdmin(args);
  const { sender, imageProblem } = args.context.get(actionContext);
  const { viewer } = args.context.get(loaderContext);
  const result = await form.send(sender, viewer, formData, imageProblem);
  if (result.isDone) return redirect(result.donePage(args.params));
  const { error, status, isDone: _, ...rejected } = result;
  // The page itself reports an expired session and unexpected errors.
  if (isSignedOut(error) || (error !== undefined && getErrorStatus(error) === undefined)) throw error;
  return data(rejected, { status });
}

/** The same for a form that its component sends in the browser. */
const handlePost = <Values, Result>(
  args: ActionFunctionArgs,
  formData: FormData,
  { findNextPage, redirectTo, doneCode, ...form }: ShopForm<Values, Result>,
) =>
  submit(
    defineForm({
      ...form,
      access: 'anyone',
      donePage: (result) =>
        findNextPage?.(result) ?? (doneCode ? `${redirectTo}?done=${doneCode}` : redirectTo),
    }),
    args,
    formData,
  );
