import { type RouteObject, redirect, redirectDocument } from 'react-router';
import { loadChunk } from './client/chunk.ts';
import { loadViewer } from './client/viewer.ts';
import { RouteError } from './components/feedback/route-error.tsx';
import { Layout } from './components/layout/layout.tsx';

/**
 * The routes. A route's `id` is its file under `web/pages/`, which also identifies its scripts in the manifest. The file
 * exports `Component`, and a `loader` if it checks access or needs data. `dashboard` is the list in
 * `dashboard-routes.tsx`, or empty until the browser opens one of its pages.
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
          ...dashboard,
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
