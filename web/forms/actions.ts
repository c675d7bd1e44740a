import { type ActionFunction, type ActionFunctionArgs, data, redirect } from 'react-router';
import { homePage } from '../../contract/page-addresses.ts';
import type { Problem } from '../../contract/problem.ts';
import { isSignedOut } from '../client/api/api-errors.ts';
import { ApiError } from '../client/api/client.ts';
import { IdentityError } from '../client/api/identity.ts';
import { requireAdmin, requireViewer } from '../client/route-access.ts';
import { actionContext, loaderContext, postedFormContext } from '../client/route-context.ts';
import { reportForm } from '../components/reviews/review-report.ts';
import { toProblem } from '../page-errors.ts';
import { lineForm, placeForm } from '../pages/basket/forms.ts';
import { deleteReviewForm, reviewForm } from '../pages/dashboard/account/add-review/review.ts';
import { deletionForm } from '../pages/dashboard/account/delete-account/deletion.ts';
import { deleteForm } from '../pages/dashboard/account/my-orders/delete-order.ts';
import { checkoutForm } from '../pages/dashboard/account/payment/checkout.ts';
import { addressForm, removeAddressForm } from '../pages/dashboard/account/profile/address-book/forms.ts';
import { confirmationForm } from '../pages/dashboard/account/profile/confirmation.ts';
import { emailForm } from '../pages/dashboard/account/profile/email.ts';
import { passwordForm } from '../pages/dashboard/account/profile/password.ts';
import { profileForm } from '../pages/dashboard/account/profile/profile.ts';
import { shippingForm } from '../pages/dashboard/admin/delivery/shipping-form.ts';
import { retryForm } from '../pages/dashboard/admin/health/retry-mail.ts';
import { answeredForm } from '../pages/dashboard/admin/messages/answered.ts';
import { shopDetailsForm } from '../pages/dashboard/admin/shop-details/shop-details.ts';
import { againForm } from '../pages/dashboard/orders/again.ts';
import { unknownPaymentForm } from '../pages/dashboard/orders/all-orders/unknown-payment.ts';
import { assignForm } from '../pages/dashboard/orders/order/assign.ts';
import { deliveryForm } from '../pages/dashboard/orders/order/delivery.ts';
import { lateForm } from '../pages/dashboard/orders/order/late-payment.ts';
import { noteForm } from '../pages/dashboard/orders/order/note.ts';
import { owedForm } from '../pages/dashboard/orders/order/owed.ts';
import { refundForm } from '../pages/dashboard/orders/order/refund.ts';
import { refundAllForm } from '../pages/dashboard/orders/order/refund-all.ts';
import { returnForm } from '../pages/dashboard/orders/order/return.ts';
import { shipToForm } from '../pages/dashboard/orders/order/ship-to.ts';
import { shipForm, trackingForm } from '../pages/dashboard/orders/order/shipping.ts';
import { undoForm } from '../pages/dashboard/orders/order/undo.ts';
import { countForm } from '../pages/dashboard/products/count-products/count.ts';
import { archiveForm } from '../pages/dashboard/products/product/archive.ts';
import { productForm } from '../pages/dashboard/products/product/save.ts';
import { stockForm } from '../pages/dashboard/products/stock/adjust.ts';
import { addForm, orderForm } from '../pages/purchase/order.ts';
import { waitForm } from '../pages/purchase/wait.ts';
import { codeForm, recoveryCodeForm } from '../pages/sign-in/code.ts';
import {
  changeAddressForm,
  confirmAddressForm,
  forgotForm,
  loginForm,
  resetForm,
  signupForm,
} from '../pages/sign-in/forms.ts';
import { confirmForm, contactForm, subscribeForm } from './contact-forms.ts';
import { addUrlFields, getErrorStatus, getText, type PageForm } from './page-form.ts';

/** The server's handlers for forms that are submitted as plain HTML posts, by route id. */
export const actions: Record<string, ActionFunction> = {
  login: submitOneOf([loginForm]),
  'login-code': submitOneOf([codeForm, recoveryCodeForm]),
  signup: submitOneOf([signupForm]),
  'forgot-password': submitOneOf([forgotForm]),
  'reset-password': submitOneOf([resetForm]),
  'confirm-address': submitOneOf([confirmAddressForm]),
  'sign-in/change-address': submitOneOf([changeAddressForm]),
  purchase: submitOneOf([addForm, orderForm, reportForm, waitForm]),
  basket: submitOneOf([placeForm, lineForm]),
  'dashboard/account/profile': submitOneOf([
    profileForm,
    addressForm,
    removeAddressForm,
    confirmationForm,
    emailForm,
    passwordForm,
  ]),
  'dashboard/account/security': submitOneOf([confirmationForm, emailForm, passwordForm]),
  'dashboard/account/delete-account': submitOneOf([deletionForm]),
  'dashboard/account/my-orders': submitOneOf([deleteForm, againForm]),
  'dashboard/account/payment': submitOneOf([deliveryForm, checkoutForm]),
  'dashboard/orders/all-orders': submitOneOf([unknownPaymentForm]),
  'dashboard/orders/order': submitOneOf([
    refundForm,
    againForm,
    assignForm,
    deliveryForm,
    lateForm,
    noteForm,
    owedForm,
    refundAllForm,
    returnForm,
    shipToForm,
    shipForm,
    trackingForm,
    undoForm,
  ]),
  'dashboard/account/add-review': submitOneOf([reviewForm, deleteReviewForm]),
  'dashboard/products/add-product': submitOneOf([productForm]),
  'dashboard/products/product': submitOneOf([productForm, archiveForm]),
  'dashboard/admin/shop-details': submitOneOf([shopDetailsForm]),
  'dashboard/admin/delivery': submitOneOf([shippingForm]),
  'dashboard/admin/messages': submitOneOf([answeredForm]),
  'dashboard/admin/health': submitOneOf([retryForm]),
  'dashboard/products/count-products': submitOneOf([countForm]),
  'dashboard/products/product-stock': submitOneOf([stockForm]),
  contact: submitOneOf([contactForm]),
  newsletter: submitOneOf([subscribeForm]),
  'newsletter/confirm': submitOneOf([confirmForm]),
  'sign-out': async ({ context }) => {
    await context
      .get(actionContext)
      .sender.callIdentity('/sign-out', {})
      .catch((error: unknown) => {
        if (!(error instanceof IdentityError)) throw error;
        throw new ApiError({ ...toProblem(error), status: error.status, detail: error.message });
      });
    return redirect(homePage);
  },
};

const readForm = ({ request }: ActionFunctionArgs): Promise<FormData> => request.formData();
const getSearchParams = ({ request }: ActionFunctionArgs) => new URL(request.url).searchParams;

/** The answer to a post with an unknown form name, for example from a page of an older release. */
const unknownForm: Problem = {
  type: 'urn:problem:invalid',
  title: 'This form has changed',
  status: 400,
  detail: 'Nothing was saved. Open the page again and send the form once more.',
  requestId: '',
};

/** The action of a page with these forms. On a page with a single form, a post need not name it. */
function submitOneOf(forms: readonly PageForm[]): ActionFunction {
  return async (args) => {
    const formData = await readForm(args);
    const posted = getText(formData, 'form');
    const form = posted === '' && forms.length === 1 ? forms[0] : forms.find(({ name }) => name === posted);
    if (!form) {
      // The shop does not read a visitor's form with an image, so the form's name is missing. Lead the visitor to the sign-in
      // page.
      if (forms.some(({ access }) => access !== 'anyone')) requireViewer(args);
      throw new ApiError(unknownForm);
    }
    return submit(form, args, formData);
  };
}

/** Sends a posted form, then redirects, or renders the form again with its errors. */
async function submit(form: PageForm, args: ActionFunctionArgs, formData: FormData) {
  if (form.access !== 'anyone') requireViewer(args);
  if (form.access === 'admin') await requireAdmin(args);
  addUrlFields(form, formData, getSearchParams(args));
  args.context.set(postedFormContext, formData);
  const { sender, imageProblem } = args.context.get(actionContext);
  const { viewer } = args.context.get(loaderContext);
  const result = await form.send(sender, viewer, formData, imageProblem);
  if (result.isDone) return redirect(result.donePage(args.params));
  const { error, status, isDone: _, ...rejected } = result;
  // The page itself reports an expired session and unexpected errors.
  if (isSignedOut(error) || (error !== undefined && getErrorStatus(error) === undefined)) throw error;
  return data(rejected, { status });
}
