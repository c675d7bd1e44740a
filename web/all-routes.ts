import { dashboard } from './pages/dashboard/routes.ts';
import { createRoutes } from './routes.tsx';

/** All pages, for the server. The browser adds the dashboard's pages when it needs them. */
export const routes = createRoutes(dashboard);
