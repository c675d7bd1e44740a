import { type LoaderFunctionArgs, type NavigateFunction, redirect } from 'react-router';
import { homePage, loginPage, twoFactorPage } from '../../contract/page-addresses.ts';
import type { Viewer } from '../../contract/pages.ts';
import { ApiError } from './api/client.ts';
import { loaderContext } from './route-context.ts';
import { getSession } from './session.ts';

/**
 * The page to return to after sign-in, from `?from=`. Only paths on this site are accepted, to prevent open redirects.
 * Parsed as a browser would: `//host`, `/\host` and `/<tab>/host` lead to other sites, and `/.//host` means `//host`.
 */
export function readReturnPath(from: string | null, fallback: string = homePage): string {
  const url = from?.startsWith('/') ? URL.parse(from, 'http://shop') : null;
  const path = url?.host === 'shop' ? url.pathname + url.search + url.hash : '';
  return path && !path.startsWith('//') ? path : fallback;
}

function createSignInPath(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return `${loginPage}?from=${encodeURIComponent(pathname + search)}`;
}

/** After a 401, opens the sign-in page, which later returns to this page. Only for the browser. */
export async function signInAgain(navigate: NavigateFunction): Promise<void> {
  getSession().clear();
  await navigate(`${loginPage}?from=${encodeURIComponent(location.pathname + location.search)}&reason=ended`);
}

/** For loaders of pages that require sign-in. Redirects visitors to the sign-in page. */
export function requireViewer({ context, request }: LoaderFunctionArgs): Viewer {
  const { viewer } = context.get(loaderContext);
  if (!viewer) throw redirect(createSignInPath(request));
  return viewer;
}

/** For loaders of the catalogue's pages. Redirects visitors to the sign-in page, unless the catalogue is open to them. */
export function requireCatalogue(args: LoaderFunctionArgs): Viewer | undefined {
  const { viewer, settings } = args.context.get(loaderContext);
  return settings.openCatalogue ? viewer : requireViewer(args);
}

/**
 * For loaders of admin pages. Redirects everyone else to the sign-in page. That page signs them out, since this GET must not
 * change state. The URL is not remembered: returning to it would be rejected again.
 */
export async function requireAdmin(args: LoaderFunctionArgs): Promise<Viewer> {
  const viewer = requireViewer(args);
  const { client } = args.context.get(loaderContext);
  const { admin } = await client.call('isAdmin', { params: { email: viewer.email } }).catch((error) => {
    if (error instanceof ApiError && error.problem.status === 401)
      throw redirect(createSignInPath(args.request));
    throw error;
  });
  if (!admin) throw redirect(viewer.adminStep ? twoFactorPage : `${loginPage}?reason=admin`, 303);
  return viewer;
}
