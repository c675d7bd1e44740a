import { useLocation } from 'react-router';

/** The page with an admin's sign-in, sessions and data. Customers have these on the dashboard's index. */
export const accountPath = '/dashboard/account';

/** The index page of the dashboard: without `?index`, a post would go to the layout route around it. */
export const profilePath = '/dashboard?index';

/** The page that a form about signing in posts to: the one that it is on. */
export const useAccountAction = (): string =>
  useLocation().pathname === accountPath ? accountPath : profilePath;
