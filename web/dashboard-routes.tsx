import { type RouteObject, redirect } from 'react-router';
import { cataloguePaths, dashboardPaths, productPagePaths } from '../contract/paths.ts';
import { addPaths } from './client/api/client.ts';
import { loadChunk } from './client/chunk.ts';
import { RouteError } from './components/feedback/route-error.tsx';

addPaths(cataloguePaths);
addPaths(dashboardPaths);
addPaths(productPagePaths);

/** The dashboard's pages and other rare ones, in a separate script, so that they don't slow down the home page. */
export const dashboard: RouteObject[] = [
  { id: 'login-code', path: 'login/code', lazy: () => loadChunk(import('./pages/login-code.tsx')) },
  {
    id: 'forgot-password',
    path: 'forgot-password',
    lazy: () => loadChunk(import('./pages/forgot-password.tsx')),
  },
  {
    id: 'reset-password',
    path: 'reset-password',
    handle: { hasToken: true },
    lazy: () => loadChunk(import('./pages/reset-password.tsx')),
  },
  {
    id: 'contact',
    path: 'contact',
    handle: { setting: 'contact' },
    lazy: () => loadChunk(import('./pages/contact.tsx')),
  },
  {
    id: 'newsletter',
    path: 'newsletter',
    handle: { setting: 'newsletter' },
    lazy: () => loadChunk(import('./pages/newsletter.tsx')),
  },
  {
    id: 'newsletter/confirm',
    path: 'newsletter/confirm',
    handle: { setting: 'newsletter', hasToken: true },
    lazy: () => loadChunk(import('./pages/newsletter/confirm.tsx')),
  },
  {
    id: 'newsletter/unsubscribe',
    path: 'newsletter/unsubscribe',
    handle: { hasToken: true },
    lazy: () => loadChunk(import('./pages/newsletter/unsubscribe.tsx')),
  },
  {
    id: 'back-in-stock/stop',
    path: 'back-in-stock/stop',
    handle: { hasToken: true },
    lazy: () => loadChunk(import('./pages/back-in-stock/stop.tsx')),
  },
  {
    id: 'account-deleted',
    path: 'account-deleted',
    lazy: () => loadChunk(import('./pages/account-deleted.tsx')),
  },
  {
    id: 'confirm-address',
    path: 'confirm-address',
    handle: { hasToken: true },
    lazy: () => loadChunk(import('./pages/confirm-address.tsx')),
  },
  {
    id: 'sign-in/change-address',
    path: 'change-address',
    handle: { hasToken: true },
    lazy: () => loadChunk(import('./pages/sign-in/change-address.tsx')),
  },
  {
    id: 'dashboard',
    path: 'dashboard',
    lazy: () => loadChunk(import('./pages/dashboard.tsx')),
    // Shows a dashboard page's errors beside the menu.
    children: [
      {
        id: 'dashboard-page',
        ErrorBoundary: RouteError,
        children: [
          {
            id: 'dashboard/account/profile',
            index: true,
            lazy: () => loadChunk(import('./pages/dashboard/account/profile.tsx')),
          },
          // The mobile menu links here, as specified.
          { path: 'history', loader: () => redirect('/dashboard') },
          {
            id: 'dashboard/account/two-factor',
            path: 'two-factor',
            lazy: () => loadChunk(import('./pages/dashboard/account/two-factor.tsx')),
          },
          {
            id: 'dashboard/account/passkeys',
            path: 'passkeys',
            lazy: () => loadChunk(import('./pages/dashboard/account/passkeys.tsx')),
          },
          {
            id: 'dashboard/account/my-orders',
            path: 'myOrder',
            lazy: () => loadChunk(import('./pages/dashboard/account/my-orders.tsx')),
          },
          {
            id: 'dashboard/account/delete-account',
            path: 'delete-account',
            lazy: () => loadChunk(import('./pages/dashboard/account/delete-account.tsx')),
          },
          {
            id: 'dashboard/orders/order',
            path: 'orders/:id',
            lazy: () => loadChunk(import('./pages/dashboard/orders/order.tsx')),
          },
          {
            id: 'dashboard/account/payment',
            path: 'payment/:id',
            handle: { takesCards: true },
            lazy: () => loadChunk(import('./pages/dashboard/account/payment.tsx')),
          },
          {
            id: 'dashboard/account/add-review',
            path: 'review',
            lazy: () => loadChunk(import('./pages/dashboard/account/add-review.tsx')),
          },
          {
            id: 'dashboard/admin/users',
            path: 'users',
            lazy: () => loadChunk(import('./pages/dashboard/admin/users.tsx')),
          },
          {
            id: 'dashboard/orders/all-orders',
            path: 'allOrders',
            lazy: () => loadChunk(import('./pages/dashboard/orders/all-orders.tsx')),
          },
          {
            id: 'dashboard/products/add-product',
            path: 'addProduct',
            lazy: () => loadChunk(import('./pages/dashboard/products/add-product.tsx')),
          },
          {
            id: 'dashboard/products/manage-products',
            path: 'manageProduct',
            lazy: () => loadChunk(import('./pages/dashboard/products/manage-products.tsx')),
          },
          {
            id: 'dashboard/products/import-products',
            path: 'products/import',
            lazy: () => loadChunk(import('./pages/dashboard/products/import-products.tsx')),
          },
          {
            id: 'dashboard/products/count-products',
            path: 'products/count',
            lazy: () => loadChunk(import('./pages/dashboard/products/count-products.tsx')),
          },
          {
            id: 'dashboard/products/product',
            path: 'products/:id',
            lazy: () => loadChunk(import('./pages/dashboard/products/product.tsx')),
          },
          {
            id: 'dashboard/products/product-stock',
            path: 'products/:id/stock',
            lazy: () => loadChunk(import('./pages/dashboard/products/product-stock.tsx')),
          },
          {
            id: 'dashboard/products/stock',
            path: 'stock',
            lazy: () => loadChunk(import('./pages/dashboard/products/stock.tsx')),
          },
          {
            id: 'dashboard/orders/print/slips',
            path: 'print/slips',
            lazy: () => loadChunk(import('./pages/dashboard/orders/print/slips.tsx')),
          },
          {
            id: 'dashboard/orders/print/invoices',
            path: 'print/invoices',
            lazy: () => loadChunk(import('./pages/dashboard/orders/print/invoices.tsx')),
          },
          {
            id: 'dashboard/admin/shop-details',
            path: 'shop',
            lazy: () => loadChunk(import('./pages/dashboard/admin/shop-details.tsx')),
          },
          {
            id: 'dashboard/admin/reviews',
            path: 'reviews',
            lazy: () => loadChunk(import('./pages/dashboard/admin/reviews.tsx')),
          },
          {
            id: 'dashboard/admin/messages',
            path: 'messages',
            lazy: () => loadChunk(import('./pages/dashboard/admin/messages.tsx')),
          },
          {
            id: 'dashboard/admin/audit',
            path: 'audit',
            lazy: () => loadChunk(import('./pages/dashboard/admin/audit.tsx')),
          },
          {
            id: 'dashboard/admin/health',
            path: 'health',
            lazy: () => loadChunk(import('./pages/dashboard/admin/health.tsx')),
          },
        ],
      },
    ],
  },
];
