import './storefront.css';
import { startTransition, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import {
  createBrowserRouter,
  type HydrationState,
  matchRoutes,
  type RouteObject,
  RouterContextProvider,
  RouterProvider,
} from 'react-router';
import { isRecordedUser, watchOtherWindows } from './client/account-changes.ts';
import { loadChunk } from './client/chunk.ts';
import { followLinks } from './client/follow-links.ts';
import { loaderContext } from './client/route-context.ts';
import { openSession } from './client/session.ts';
import type { loadViewer } from './client/viewer.ts';
import { loadAccountParts } from './components/layout/account-parts.ts';
import { deserializeErrors, type SerializedErrors } from './page-errors.ts';
import { capturePreHydrationInput } from './pre-hydration.ts';
import { createRoutes } from './routes.tsx';
import { type ShopData, ShopProvider } from './shop.tsx';

type PageData = {
  shop: ShopData;
  loaderData: Record<string, unknown> & { root?: Awaited<ReturnType<typeof loadViewer>> };
  actionData?: Record<string, unknown>;
  errors?: SerializedErrors;
};

async function start(root: HTMLElement, data: PageData): Promise<void> {
  const { shop, loaderData, actionData = null } = data;
  const { settings } = shop;
  const snapshotInput = capturePreHydrationInput();
  const session = openSession(settings, loaderData.root?.viewer);

  // Load the page's lazy routes first, so that hydration renders what the server rendered.
  let chunkError: unknown;
  // If a script fails to load, the error replaces the server-rendered page, which would not be interactive.
  const keepError = (error: unknown) => {
    chunkError = error;
  };
  const routes = createRoutes((await loadDashboard(location.pathname).catch(keepError)) ?? []);
  if (session.viewer()) await loadAccountParts().catch(keepError);
  for (const { route } of matchRoutes(routes, location) ?? []) {
    if (typeof route.lazy !== 'function') continue;
    const module = await route.lazy().catch(keepError);
    Object.assign(route, module);
    delete route.lazy;
  }

  const errors = chunkError ? { page: chunkError } : deserializeErrors(data.errors);
  const hydrationData: HydrationState = { loaderData, actionData, errors };
  const router = createBrowserRouter(routes, {
    hydrationData,
    patchRoutesOnNavigation: async ({ path, patch }) => patch('page', await loadDashboard(path)),
    getContext: () => {
      const client = session.createLoaderClient();
      return new RouterContextProvider(
        new Map([[loaderContext, { client, settings, viewer: session.viewer() }]]),
      );
    },
  });
  router.subscribe((state) => session.setPageViewer(state.loaderData.root?.viewer));
  watchOtherWindows(session.checkAccount);
  followLinks(router);

  /** A page restored from the browser's history may predate a payment, a deletion or a sign-out. */
  async function reloadData(): Promise<void> {
    if (!session.viewer() && isRecordedUser(undefined)) return;
    await session.refresh();
    await router.revalidate();
  }
  const reloadSafely = () => void reloadData().catch(() => {});
  addEventListener('pageshow', ({ persisted }) => persisted && reloadSafely());
  const fromHistory = performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward');
  const replayInput = snapshotInput();
  const handleHydrated = () => {
    replayInput();
    // Tests wait for this attribute.
    root.dataset.hydrated = '';
    if (fromHistory) reloadSafely();
  };

  const app = (
    <ShopProvider shop={shop}>
      <RouterProvider router={router} />
      <OnMount callback={handleHydrated} />
    </ShopProvider>
  );
  const hydrate = () => void hydrateRoot(root, app);
  if (chunkError) createRoot(root).render(app);
  // Hydrate a form synchronously: input typed during a transition would be lost.
  else if (document.querySelector('form input')) hydrate();
  else startTransition(hydrate);
}

/** The routes of `pages/dashboard/routes.ts`, if no other page has the path. */
const loadDashboard = async (path: string): Promise<RouteObject[]> =>
  matchRoutes(createRoutes([]), path)?.at(-1)?.route.id === 'not-found'
    ? (await loadChunk(import('./pages/dashboard/routes.ts'))).dashboard
    : [];

/** Preload a page's script when the user is about to follow a link to it. */
async function preload(link: HTMLAnchorElement): Promise<void> {
  // A page with a `handle`, such as the payment page, is a new document and loads its own scripts.
  for (const { route } of matchRoutes(createRoutes(await loadDashboard(link.pathname)), link) ?? [])
    if (typeof route.lazy === 'function' && !route.handle) route.lazy().catch(() => {});
}

for (const intent of ['pointerover', 'focusin'])
  addEventListener(intent, ({ target }) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href^="/"]');
    if (link) preload(link).catch(() => {});
  });

/** Calls `callback` after hydration. */
function OnMount({ callback }: { callback: () => void }) {
  useEffect(callback, [callback]);
  return null;
}

const root = document.getElementById('root');
const data = document.getElementById('page-data');
if (root && data?.textContent) void start(root, JSON.parse(data.textContent));
