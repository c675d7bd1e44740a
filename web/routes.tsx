import { type RouteObject, redirect, redirectDocument } from 'react-router';
import { loadChunk } from './client/chunk.ts';
import { loadViewer } from './client/viewer.ts';
import { RouteError } from './components/feedback/route-error.tsx';
import { Layout } from './components/layout/layout.tsx';

/**
 * All pages. A route's `id` is its file under `web/pages/`, which also identifies its scripts in the manifest. The file
 * exports `Component`, and a `loader` if it checks access or needs data.
 */
export const routes: RouteObject[] = [
  {
    id: 'root',
    path: '/',
    loader: loadViewer,
    // It makes no request, and the signed-in user may have changed.
    shouldRevalidate: () => true,
    Component: Layout,
    ErrorBoundary: RouteError,
    children: [
      {
        // Shows a page's errors inside the layout.
        id: 'page',
        ErrorBoundary: RouteError,
        children: [
          { id: 'home', index: true, lazy: () => loadChunk(import('./pages/home.tsx')) },
          { id: 'blogs', path: 'blogs', lazy: () => loadChunk(import('./pages/blogs.tsx')) },
          { id: 'products', path: 'products', lazy: () => loadChunk(import('./pages/products.tsx')) },
          { id: 'portfolio', path: 'myPortfolio', lazy: () => loadChunk(import('./pages/portfolio.tsx')) },
          { id: 'login', path: 'login', lazy: () => loadChunk(import('./pages/login.tsx')) },
          { id: 'signup', path: 'signup', lazy: () => loadChunk(import('./pages/signup.tsx')) },
          { id: 'basket', path: 'basket', lazy: () => loadChunk(import('./pages/basket.tsx')) },
          {
            id: 'purchase',
            path: 'purchase/:productId',
            lazy: () => loadChunk(import('./pages/purchase.tsx')),
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
                    id: 'dashboard/profile',
                    index: true,
                    lazy: () => loadChunk(import('./pages/dashboard/profile.tsx')),
                  },
                  // The mobile menu links here, as specified.
                  { path: 'history', loader: () => redirect('/dashboard') },
                  {
                    id: 'dashboard/my-orders',
                    path: 'myOrder',
                    lazy: () => loadChunk(import('./pages/dashboard/my-orders.tsx')),
                  },
                  {
                    id: 'dashboard/payment',
                    path: 'payment/:id',
                    handle: { takesCards: true },
                    lazy: () => loadChunk(import('./pages/dashboard/payment.tsx')),
                  },
                  {
                    id: 'dashboard/add-review',
                    path: 'review',
                    lazy: () => loadChunk(import('./pages/dashboard/add-review.tsx')),
                  },
                  {
                    id: 'dashboard/users',
                    path: 'users',
                    lazy: () => loadChunk(import('./pages/dashboard/users.tsx')),
                  },
                  {
                    id: 'dashboard/all-orders',
                    path: 'allOrders',
                    lazy: () => loadChunk(import('./pages/dashboard/all-orders.tsx')),
                  },
                  {
                    id: 'dashboard/add-product',
                    path: 'addProduct',
                    lazy: () => loadChunk(import('./pages/dashboard/add-product.tsx')),
                  },
                  {
                    id: 'dashboard/manage-products',
                    path: 'manageProduct',
                    lazy: () => loadChunk(import('./pages/dashboard/manage-products.tsx')),
                  },
                  {
                    id: 'dashboard/reviews',
                    path: 'reviews',
                    lazy: () => loadChunk(import('./pages/dashboard/reviews.tsx')),
                  },
                  {
                    id: 'dashboard/audit',
                    path: 'audit',
                    lazy: () => loadChunk(import('./pages/dashboard/audit.tsx')),
                  },
                  {
                    id: 'dashboard/health',
                    path: 'health',
                    lazy: () => loadChunk(import('./pages/dashboard/health.tsx')),
                  },
                ],
              },
            ],
          },
          // Without scripts, the sign-out button posts here; the server adds the action.
          { id: 'sign-out', path: 'sign-out', loader: () => redirect('/') },
          // A separate document, rendered by the server.
          { path: 'api/docs', loader: ({ request }) => redirectDocument(request.url) },
          { id: 'not-found', path: '*', lazy: () => loadChunk(import('./pages/not-found.tsx')) },
        ],
      },
    ],
  },
];
