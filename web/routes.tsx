import { type RouteObject, redirect, redirectDocument } from 'react-router';
import { page } from './client/page-route.ts';
import { loadViewer } from './client/viewer.ts';
import { RouteError } from './components/feedback/route-error.tsx';
import { Layout } from './components/layout/layout.tsx';

/**
 * The routes. A page's file exports `Component`, and a `loader` if it checks access or needs data. `dashboard` is the list in
 * `pages/dashboard/routes.ts`, or empty until the browser opens one of its pages.
 */
export const createRoutes = (dashboard: RouteObject[]): RouteObject[] => [
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
          page('home', undefined, () => import('./pages/home.tsx')),
          page('blogs', 'blogs', () => import('./pages/blogs.tsx')),
          page('products', 'products', () => import('./pages/products.tsx')),
          page('portfolio', 'myPortfolio', () => import('./pages/portfolio.tsx')),
          page('login', 'login', () => import('./pages/login.tsx')),
          page('signup', 'signup', () => import('./pages/signup.tsx')),
          page('basket', 'basket', () => import('./pages/basket.tsx')),
          page('purchase', 'purchase/:productId', () => import('./pages/purchase.tsx')),
          ...dashboard,
          // Without scripts, the sign-out button posts here; the server adds the action.
          { id: 'sign-out', path: 'sign-out', loader: () => redirect('/') },
          // A separate document, rendered by the server.
          { path: 'api/docs', loader: ({ request }) => redirectDocument(request.url) },
          page('not-found', '*', () => import('./pages/not-found.tsx')),
        ],
      },
    ],
  },
];
