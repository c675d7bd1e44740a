import { createContext } from 'react-router';
import type { Viewer, WebSettings } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Client } from './client.ts';
import type { Sender } from '../forms/shop-form.ts';

/** What every loader works with; made for each request on the server, once a page load in the browser. */
export type Visit = {
  client: Client;
  viewer: Viewer | undefined;
  settings: WebSettings;
};

/** Loaders read it with `context.get(visit)`. */
export const visit = createContext<Visit>();

/** The context of a posted form's action, on the server only. Unlike `visit`, it may change data. */
export type Post = { sender: Sender; pictureProblem: Problem | undefined };

export const post = createContext<Post>();
