import { type LoaderFunctionArgs, useRouteLoaderData } from 'react-router';
import type { Viewer } from '../../contract/pages.ts';
import { visit } from './visit.ts';

/** The loader of the root route: who is looking. */
export function loadViewer({ context }: LoaderFunctionArgs): { viewer: Viewer | undefined } {
  return { viewer: context.get(visit).viewer };
}

/** Who is looking, for components; undefined for a visitor. */
export function useViewer(): Viewer | undefined {
  return useRouteLoaderData<typeof loadViewer>('root')?.viewer;
}
