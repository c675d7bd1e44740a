import { type LazyRouteFunction, type RouteObject, redirect } from 'react-router';
import {
  accountDeletedPage,
  addProductPage,
  addReviewPage,
  allOrdersPage,
  auditPage,
  changeAddressPage,
  confirmAddressPage,
  confirmSubscriptionPage,
  contactPage,
  countProductsPage,
  customsPage,
  dashboardPage,
  deleteAccountPage,
  deliveryPage,
  deliveryRatesPage,
  forgotPasswordPage,
  healthPage,
  historyPage,
  importProductsPage,
  invoicesPage,
  loginCodePage,
  managedProductPages,
  manageProductsPage,
  messagesPage,
  myOrdersPage,
  newsletterPage,
  orderPages,
  passkeysPage,
  paymentPages,
  pickListPage,
  resetPasswordPage,
  reviewsPage,
  securityPage,
  shopDetailsPage,
  slipsPage,
  stockPage,
  stopBackInStockPage,
  twoFactorPage,
  unsubscribePage,
  usersPage,
} from '../../../contract/page-addresses.ts';
import { cataloguePaths, dashboardPaths, productPagePaths } from '../../../contract/paths.ts';
import { addPaths } from '../../client/api/client.ts';
import { loadChunk } from '../../client/chunk.ts';
import { page } from '../../client/page-route.ts';
import { RouteError } from '../../components/feedback/route-error.tsx';

addPaths(cataloguePaths);
addPaths(dashboardPaths);
addPaths(productPagePaths);

const inDashboard = (
  id: string,
  path: string | undefined,
  load: LazyRouteFunction<RouteObject>,
  handle?: { takesCards: true },
) => page(`dashboard/${id}`, path, load, handle);

/** The URL contains a token. */
const withToken = { hasToken: true } as const;

/** Pages inside the dashboard's layout, with its menu. */
const dashboardPages: RouteObject[] = [
  inDashboard('account/profile', undefined, () => import('./account/profile.tsx')),
  // The mobile menu links here, as specified.
  { path: historyPage, loader: () => redirect(dashboardPage) },
  inDashboard('account/security', securityPage, () => import('./account/security.tsx')),
  inDashboard('account/two-factor', twoFactorPage, () => import('./account/two-factor.tsx')),
  inDashboard('account/passkeys', passkeysPage, () => import('./account/passkeys.tsx')),
  inDashboard('account/my-orders', myOrdersPage, () => import('./account/my-orders.tsx')),
  inDashboard('account/delete-account', deleteAccountPage, () => import('./account/delete-account.tsx')),
  inDashboard('orders/order', `${orderPages}/:id`, () => import('./orders/order.tsx')),
  inDashboard('account/payment', `${paymentPages}/:id`, () => import('./account/payment.tsx'), {
    takesCards: true,
  }),
  inDashboard('account/add-review', addReviewPage, () => import('./account/add-review.tsx')),
  inDashboard('admin/users', usersPage, () => import('./admin/users.tsx')),
  inDashboard('orders/all-orders', allOrdersPage, () => import('./orders/all-orders.tsx')),
  inDashboard('products/add-product', addProductPage, () => import('./products/add-product.tsx')),
  inDashboard('products/manage-products', manageProductsPage, () => import('./products/manage-products.tsx')),
  inDashboard('products/import-products', importProductsPage, () => import('./products/import-products.tsx')),
  inDashboard('products/count-products', countProductsPage, () => import('./products/count-products.tsx')),
  inDashboard('products/product', `${managedProductPages}/:id`, () => import('./products/product.tsx')),
  inDashboard(
    'products/product-stock',
    `${managedProductPages}/:id/stock`,
    () => import('./products/product-stock.tsx'),
  ),
  inDashboard('products/stock', stockPage, () => import('./products/stock.tsx')),
  inDashboard('orders/print/slips', slipsPage, () => import('./orders/print/slips.tsx')),
  inDashboard('orders/print/picks', pickListPage, () => import('./orders/print/picks.tsx')),
  inDashboard('orders/print/customs', customsPage, () => import('./orders/print/customs.tsx')),
  inDashboard('orders/print/invoices', invoicesPage, () => import('./orders/print/invoices.tsx')),
  inDashboard('admin/shop-details', shopDetailsPage, () => import('./admin/shop-details.tsx')),
  inDashboard('admin/delivery', deliveryRatesPage, () => import('./admin/delivery.tsx')),
  inDashboard('admin/reviews', reviewsPage, () => import('./admin/reviews.tsx')),
  inDashboard('admin/messages', messagesPage, () => import('./admin/messages.tsx')),
  inDashboard('admin/audit', auditPage, () => import('./admin/audit.tsx')),
  inDashboard('admin/health', healthPage, () => import('./admin/health.tsx')),
];

/** The dashboard's pages and other rare ones, in a separate script, so that they don't slow down the home page. */
export const dashboard: RouteObject[] = [
  page('login-code', loginCodePage, () => import('../login-code.tsx')),
  page('forgot-password', forgotPasswordPage, () => import('../forgot-password.tsx')),
  page('reset-password', resetPasswordPage, () => import('../reset-password.tsx'), withToken),
  page('delivery', deliveryPage, () => import('../delivery.tsx'), { setting: 'delivers' }),
  page('contact', contactPage, () => import('../contact.tsx'), { setting: 'contact' }),
  page('newsletter', newsletterPage, () => import('../newsletter.tsx'), { setting: 'newsletter' }),
  page('newsletter/confirm', confirmSubscriptionPage, () => import('../newsletter/confirm.tsx'), {
    setting: 'newsletter',
    hasToken: true,
  }),
  page('newsletter/unsubscribe', unsubscribePage, () => import('../newsletter/unsubscribe.tsx'), withToken),
  page('back-in-stock/stop', stopBackInStockPage, () => import('../back-in-stock/stop.tsx'), withToken),
  page('account-deleted', accountDeletedPage, () => import('../account-deleted.tsx')),
  page('confirm-address', confirmAddressPage, () => import('../confirm-address.tsx'), withToken),
  page('sign-in/change-address', changeAddressPage, () => import('../sign-in/change-address.tsx'), withToken),
  {
    id: 'dashboard',
    path: dashboardPage,
    lazy: () => loadChunk(import('../dashboard.tsx')),
    // Shows a dashboard page's errors beside the menu.
    children: [{ id: 'dashboard-page', ErrorBoundary: RouteError, children: dashboardPages }],
  },
];
