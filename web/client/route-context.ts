import { createContext } from 'react-router';
import type { Viewer, WebSettings } from '../../contract/pages.ts';
import type { Problem } from '../../contract/problem.ts';
import type { FormSender } from '../forms/form-results.ts';
import type { Client } from './api/client.ts';

/** The context of all loaders, created for each request on the server and for each navigation in the browser. */
export type LoaderContext = {
  client: Client;
  viewer: Viewer | undefined;
  settings: WebSettings;
};

/** Loaders read it with `context.get(loaderContext)`. */
export const loaderContext = createContext<LoaderContext>();

/** The context of an action, on the server only. Unlike the loaders' client, its sender may change data. */
export type ActionContext = {
  sender: FormSender;
  imageProblem: Problem | undefined;
};

export const actionContext = createContext<ActionContext>();

/** The form that was posted without scripts, for loaders whose data depends on its fields. `null` in the browser and for a GET. */
export const postedFormContext = createContext<FormData | null>(null);
