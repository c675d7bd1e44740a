import { dashboardPage, securityPage } from '../../contract/page-addresses.ts';
import type { Viewer } from '../../contract/pages.ts';

/** The page on which a user changes how they sign in, and confirms their address. */
export const findAccountPage = (viewer: Viewer | undefined): string =>
  viewer?.role === 'admin' ? securityPage : dashboardPage;
