import { type RouteObject, redirect, redirectDocument } from 'react-router';
import {
  apiDocsPage,
  basketPage,
  blogsPage,
  homePage,
  loginPage,
  portfolioPage,
  productsPage,
  purchasePages,
  signOutPage,
  signUpPage,
} from '../contract/page-addresses.ts';
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
    path: homePage,
    loader: loadViewer,
    // This loader makes no request, and the signed-in user may have changed, so run it for every navigation.
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
          page('blogs', blogsPage, () => import('./pages/blogs.tsx')),
          page('products', productsPage, () => import('./pages/products.tsx')),
          page('portfolio', portfolioPage, () => import('./pages/portfolio.tsx')),
          page('login', loginPage, () => import('./pages/login.tsx')),
          page('signup', signUpPage, () => import('./pages/signup.tsx')),
          page('basket', basketPage, () => import('./pages/basket.tsx')),
          page('purchase', `${purchasePages}/:productId`, () => import('./pages/purchase.tsx')),
          ...dashboard,
          // Without scripts, the sign-out button posts here; the server adds the action.
          { id: 'sign-out', path: signOutPage, loader: () => redirect(homePage) },
          // A separate document, rendered by the server.
          { path: apiDocsPage, loader: ({ request }) => redirectDocument(request.url) },
          page('not-found', '*', () => import('./pages/not-found.tsx')),
        ],
      },
    ],
  },
];
