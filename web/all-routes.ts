import { dashboard } from './dashboard-routes.tsx';
import { createRoutes } from './routes.tsx';

/** All pages, for the server. The browser adds the dashboard's when it needs them. */
export const routes = createRoutes(dashboard);
