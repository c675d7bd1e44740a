import { useLocation } from 'react-router';
import { dashboardPage, securityPage } from '../../../../../contract/page-addresses.ts';

/** The index page of the dashboard: without `?index`, a post would go to the layout route around it. */
export const profilePath = `${dashboardPage}?index`;

/** The page to which a form about signing in posts: the page that the form is on. */
export const useAccountAction = (): string =>
  useLocation().pathname === securityPage ? securityPage : profilePath;
