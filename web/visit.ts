import { createContext } from 'react-router';
import type { Viewer, WebSettings } from '../contract/pages.ts';
import type { Client } from './client.ts';

/** What every loader works with; made for each request on the server, once a page load in the browser. */
export type Visit = {
  client: Client;
  viewer: Viewer | undefined;
  settings: WebSettings;
};

/** Loaders read it with `context.get(visit)`. */
export const visit = createContext<Visit>();
