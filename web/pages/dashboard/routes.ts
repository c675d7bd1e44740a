import { type LazyRouteFunction, type RouteObject, redirect } from 'react-router';
import { cataloguePaths, dashboardPaths, productPagePaths } from '../../../contract/paths.ts';
import { addPaths } from '../../client/api/client.ts';
import { loadChunk } from '../../client/chunk.ts';
import { page } from '../../client/page-route.ts';
import { RouteError } from '../../components/feedback/route-error.tsx';

addPaths(cataloguePaths);
addPaths(dashboardPaths);
addPaths(productPagePaths);

const dashboardPage = (
  id: string,
  path: string | undefined,
  load: LazyRouteFunction<RouteObject>,
  handle?: { takesCards: true },
) => page(`dashboard/${id}`, path, load, handle);

/** The URL contains a token. */
const withToken = { hasToken: true } as const;

/** Pages inside the dashboard's layout, with its menu. */
const dashboardPages: RouteObject[] = [
  dashboardPage('account/profile', undefined, () => import('./account/profile.tsx')),
  // The mobile menu links here, as specified.
  { path: 'history', loader: () => redirect('/dashboard') },
  dashboardPage('account/security', 'account', () => import('./account/security.tsx')),
  dashboardPage('account/two-factor', 'two-factor', () => import('./account/two-factor.tsx')),
  dashboardPage('account/passkeys', 'passkeys', () => import('./account/passkeys.tsx')),
  dashboardPage('account/my-orders', 'myOrder', () => import('./account/my-orders.tsx')),
  dashboardPage('account/delete-account', 'delete-account', () => import('./account/delete-account.tsx')),
  dashboardPage('orders/order', 'orders/:id', () => import('./orders/order.tsx')),
  dashboardPage('account/payment', 'payment/:id', () => import('./account/payment.tsx'), {
    takesCards: true,
  }),
  dashboardPage('account/add-review', 'review', () => import('./account/add-review.tsx')),
  dashboardPage('admin/users', 'users', () => import('./admin/users.tsx')),
  dashboardPage('orders/all-orders', 'allOrders', () => import('./orders/all-orders.tsx')),
  dashboardPage('products/add-product', 'addProduct', () => import('./products/add-product.tsx')),
  dashboardPage('products/manage-products', 'manageProduct', () => import('./products/manage-products.tsx')),
  dashboardPage(
    'products/import-products',
    'products/import',
    () => import('./products/import-products.tsx'),
  ),
  dashboardPage('products/count-products', 'products/count', () => import('./products/count-products.tsx')),
  dashboardPage('products/product', 'products/:id', () => import('./products/product.tsx')),
  dashboardPage('products/product-stock', 'products/:id/stock', () => import('./products/product-stock.tsx')),
  dashboardPage('products/stock', 'stock', () => import('./products/stock.tsx')),
  dashboardPage('orders/print/slips', 'print/slips', () => import('./orders/print/slips.tsx')),
  dashboardPage('orders/print/invoices', 'print/invoices', () => import('./orders/print/invoices.tsx')),
  dashboardPage('admin/shop-details', 'shop', () => import('./admin/shop-details.tsx')),
  dashboardPage('admin/reviews', 'reviews', () => import('./admin/reviews.tsx')),
  dashboardPage('admin/messages', 'messages', () => import('./admin/messages.tsx')),
  dashboardPage('admin/audit', 'audit', () => import('./admin/audit.tsx')),
  dashboardPage('admin/health', 'health', () => import('./admin/health.tsx')),
];

/** The dashboard's pages and other rare ones, in a separate script, so that they don't slow down the home page. */
export const dashboard: RouteObject[] = [
  page('login-code', 'login/code', () => import('../login-code.tsx')),
  page('forgot-password', 'forgot-password', () => import('../forgot-password.tsx')),
  page('reset-password', 'reset-password', () => import('../reset-password.tsx'), withToken),
  page('contact', 'contact', () => import('../contact.tsx'), { setting: 'contact' }),
  page('newsletter', 'newsletter', () => import('../newsletter.tsx'), { setting: 'newsletter' }),
  page('newsletter/confirm', 'newsletter/confirm', () => import('../newsletter/confirm.tsx'), {
    setting: 'newsletter',
    hasToken: true,
  }),
  page(
    'newsletter/unsubscribe',
    'newsletter/unsubscribe',
    () => import('../newsletter/unsubscribe.tsx'),
    withToken,
  ),
  page('back-in-stock/stop', 'back-in-stock/stop', () => import('../back-in-stock/stop.tsx'), withToken),
  page('account-deleted', 'account-deleted', () => import('../account-deleted.tsx')),
  page('confirm-address', 'confirm-address', () => import('../confirm-address.tsx'), withToken),
  page('sign-in/change-address', 'change-address', () => import('../sign-in/change-address.tsx'), withToken),
  {
    id: 'dashboard',
    path: 'dashboard',
    lazy: () => loadChunk(import('../dashboard.tsx')),
    // Shows a dashboard page's errors beside the menu.
    children: [{ id: 'dashboard-page', ErrorBoundary: RouteError, children: dashboardPages }],
  },
];
