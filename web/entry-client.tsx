import './styles.css';
import { startTransition, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import {
  createBrowserRouter,
  type HydrationState,
  matchRoutes,
  RouterContextProvider,
  RouterProvider,
} from 'react-router';
import { watchEarly } from './early.ts';
import { isAnnounced, watchWindows } from './client/other-window.ts';
import { readErrors, type SentErrors } from './page-errors.ts';
import { routes } from './routes.tsx';
import { openSession } from './client/session.ts';
import { type ShopData, ShopProvider } from './shop.tsx';
import type { loadViewer } from './client/viewer.ts';
import { visit } from './client/visit.ts';

type PageData = {
  shop: ShopData;
  loaderData: Record<string, unknown> & { root?: ReturnType<typeof loadViewer> };
  actionData?: Record<string, unknown>;
  errors?: SentErrors;
};

async function start(root: HTMLElement, data: PageData): Promise<void> {
  const { shop, loaderData, actionData = null } = data;
  const { settings } = shop;
  const keep = watchEarly();
  const session = openSession(settings, loaderData.root?.viewer);

  // The page is there already: its scripts are awaited first, so that hydration finds what the server sent.
  let missing: unknown;
  for (const { route } of matchRoutes(routes, location) ?? []) {
    if (typeof route.lazy !== 'function') continue;
    const found = await route.lazy().catch((error: unknown) => {
      // The page that the server made would stand there, and nothing on it would answer.
      missing = error;
    });
    Object.assign(route, found);
    delete route.lazy;
  }

  const errors = missing ? { page: missing } : readErrors(data.errors);
  const hydrationData: HydrationState = { loaderData, actionData, errors };
  const router = createBrowserRouter(routes, {
    hydrationData,
    getContext: () => {
      const { client } = session;
      return new RouterContextProvider(new Map([[visit, { client, settings, viewer: session.viewer() }]]));
    },
  });
  router.subscribe((state) => session.show(state.loaderData.root?.viewer));
  watchWindows(session.check);

  /** A page from the browser's history may be older than a payment, a deletion or a sign-out. */
  async function readAgain(): Promise<void> {
    if (!session.viewer() && isAnnounced(undefined)) return;
    await session.refresh();
    await router.revalidate();
  }
  const shownAgain = () => void readAgain().catch(() => {});
  addEventListener('pageshow', ({ persisted }) => persisted && shownAgain());
  const fromHistory = performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward');
  const keepTyped = keep();
  const ready = () => {
    keepTyped();
    if (fromHistory) shownAgain();
  };

  const app = (
    <ShopProvider shop={shop}>
      <RouterProvider router={router} />
      <Ready then={ready} />
    </ShopProvider>
  );
  const hydrate = () => void hydrateRoot(root, app);
  if (missing) createRoot(root).render(app);
  // At once, else what is typed into it meanwhile would be lost.
  else if (document.querySelector('form input')) hydrate();
  else startTransition(hydrate);
}

/** The script of the page that a link leads to is there by the time that the link is followed. */
for (const intent of ['pointerover', 'focusin'])
  addEventListener(intent, ({ target }) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href^="/"]');
    // A payment page is a new document, and brings its own.
    for (const { route } of (link && matchRoutes(routes, link)) || [])
      if (typeof route.lazy === 'function' && !route.handle) route.lazy().catch(() => {});
  });

/** Says when all that is around it answers. */
function Ready({ then }: { then: () => void }) {
  useEffect(then, [then]);
  return null;
}

const root = document.getElementById('root');
const data = document.getElementById('page-data');
if (root && data?.textContent) void start(root, JSON.parse(data.textContent));
