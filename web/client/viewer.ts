import { type LoaderFunctionArgs, useRouteLoaderData } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { loaderContext } from './route-context.ts';

/** The root route's loader: the signed-in user. */
export function loadViewer({ context }: LoaderFunctionArgs): { viewer: Viewer | undefined } {
  return { viewer: context.get(loaderContext).viewer };
}

/** The signed-in user, for components; undefined for visitors. */
export function useViewer(): Viewer | undefined {
  return useRouteLoaderData<typeof loadViewer>('root')?.viewer;
}
