import { type LoaderFunctionArgs, useRouteLoaderData } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { visit } from './visit.ts';

/** The root route's loader: the signed-in user. */
export function loadViewer({ context }: LoaderFunctionArgs): { viewer: Viewer | undefined } {
  return { viewer: context.get(visit).viewer };
}

/** The signed-in user, for components; undefined for visitors. */
export function useViewer(): Viewer | undefined {
  return useRouteLoaderData<typeof loadViewer>('root')?.viewer;
}
