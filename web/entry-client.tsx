import './styles.css';
import { hydrateRoot } from 'react-dom/client';
import {
  createBrowserRouter,
  type HydrationState,
  matchRoutes,
  RouterContextProvider,
  RouterProvider,
} from 'react-router';
import { readErrors, type SentErrors } from './page-errors.ts';
import { routes } from './routes.tsx';
import { openSession } from './session.ts';
import { type ShopData, ShopProvider } from './shop.tsx';
import type { loadViewer } from './viewer.ts';
import { visit } from './visit.ts';

type PageData = {
  shop: ShopData;
  loaderData: Record<string, unknown> & { root?: ReturnType<typeof loadViewer> };
  errors?: SentErrors;
};

async function start(root: HTMLElement, data: PageData): Promise<void> {
  const { shop, loaderData } = data;
  const { settings } = shop;
  const session = openSession(settings, loaderData.root?.viewer);

  // The page is there already: its scripts are awaited first, so that hydration finds what the server sent.
  for (const { route } of matchRoutes(routes, location) ?? []) {
    if (typeof route.lazy !== 'function') continue;
    Object.assign(route, await route.lazy());
    delete route.lazy;
  }

  const hydrationData: HydrationState = { loaderData, errors: readErrors(data.errors) };
  const router = createBrowserRouter(routes, {
    hydrationData,
    getContext: () => {
      const { client } = session;
      return new RouterContextProvider(new Map([[visit, { client, settings, viewer: session.viewer() }]]));
    },
  });
  hydrateRoot(
    root,
    <ShopProvider shop={shop}>
      <RouterProvider router={router} />
    </ShopProvider>,
  );
}

const root = document.getElementById('root');
const data = document.getElementById('page-data');
if (root && data?.textContent) void start(root, JSON.parse(data.textContent));
