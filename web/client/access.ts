import { type LoaderFunctionArgs, redirect } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { CallFailed } from './client.ts';
import { visit } from './visit.ts';

/**
 * The way back after sign-in, from `?from=`: an address of this site and nothing else. It is read as a browser
 * reads it, to which `//host`, `/\host` and `/<tab>/host` lead away, and `/.//host` is `//host`.
 */
export function wayBack(search: URLSearchParams, otherwise = '/'): string {
  const from = search.get('from');
  const read = from?.startsWith('/') ? URL.parse(from, 'http://shop') : null;
  const path = read?.host === 'shop' ? read.pathname + read.search + read.hash : '';
  return path && !path.startsWith('//') ? path : otherwise;
}

/** The sign-in page, remembering the whole address that was asked for. */
function signInAddress(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return `/login?from=${encodeURIComponent(pathname + search)}`;
}

/** For loaders of pages for signed-in people; everybody else is sent to the sign-in page. */
export function requireViewer({ context, request }: LoaderFunctionArgs): Viewer {
  const { viewer } = context.get(visit);
  if (!viewer) throw redirect(signInAddress(request));
  return viewer;
}

/**
 * For loaders of admin pages. Somebody without the role is sent to the sign-in page, which signs them out: a GET
 * changes nothing itself, and no address is remembered, since it would refuse them again.
 */
export async function requireAdmin(args: LoaderFunctionArgs): Promise<Viewer> {
  const viewer = requireViewer(args);
  const { client } = args.context.get(visit);
  const { admin } = await client.call('isAdmin', { params: { email: viewer.email } }).catch((error) => {
    if (error instanceof CallFailed && error.problem.status === 401)
      throw redirect(signInAddress(args.request));
    throw error;
  });
  if (!admin) throw redirect('/login?reason=admin', 303);
  return viewer;
}
