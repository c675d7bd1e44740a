import { type LoaderFunctionArgs, redirectDocument } from 'react-router';
import { requireViewer } from '../../../../client/route-access.ts';

/** For loaders of pages that show how the user signs in. Redirects visitors to the sign-in page. */
export function requireSigningIn(args: LoaderFunctionArgs) {
  const viewer = requireViewer(args);
  const { signsInWith } = viewer;
  // Only documents contain `signsInWith`: after a sign-in without a page load, load one.
  if (!signsInWith) throw redirectDocument(args.request.url);
  return { viewer, signsInWith };
}
