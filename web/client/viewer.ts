import { type LoaderFunctionArgs, useRouteLoaderData } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { loadAccountParts } from '../components/layout/account-parts.ts';
import { loaderContext } from './route-context.ts';

/** The root route's loader: the signed-in user. Also loads the parts of the header that only signed-in users see. */
export async function loadViewer({ context }: LoaderFunctionArgs): Promise<{ viewer: Viewer | undefined }> {
  const { viewer } = context.get(loaderContext);
  if (viewer) await loadAccountParts();
  return { viewer };
}

/** The signed-in user, for components; undefined for visitors. */
export function useViewer(): Viewer | undefined {
  return useRouteLoaderData<typeof loadViewer>('root')?.viewer;
}
