/**
 * What the server and the pages' code agree on. The server serves pages that were built before (`dist/`), and
 * neither side imports the other, so their common types stand here.
 */

import type { Answer } from './call.ts';
import type { Contract } from './contract.ts';
import type { CallName } from './paths.ts';
import type { Problem } from './problem.ts';

/** Who is looking at a page. */
export type Viewer = {
  _id: string;
  /** Which of their sessions this is: its id, never its secret. The browser keeps its token together with it. */
  session: string;
  name: string;
  email: string;
  role?: 'admin';
  address: string;
  phone: string;
  education: string;
  linkedIn: string;
  /** `password`, `google` or both. Only a document brings it: absent right after a sign-in within one. */
  signsInWith?: string[];
};

/** What the pages have to know about this shop. It is public: it stands in every page. */
export type WebSettings = {
  /** The shop's canonical origin, such as `https://shop.example`. */
  origin: string;
  apiBase: string;
  /** Where pictures are posted to: `/1/upload`, or a hosted service's address with its public key. */
  imageUploadUrl: string;
  stripePublishableKey: string;
  stripeJsUrl: string;
  /** `SHOP_CURRENCY`; unset, prices are written the specification's way and charged in `chargedCurrency`. */
  currency: string | undefined;
  chargedCurrency: string;
  sandbox: boolean;
  google: boolean;
};

/** What a build knows about itself (`dist/manifest.json`). Addresses start with `/static/`. */
export type Manifest = {
  entry: string;
  /** The pages' server entry, a file in `dist/server`. */
  server: string;
  font: string;
  /** The page's one style sheet, and its hash for the security policy. */
  styles: string;
  stylesHash: string;
  /** The scripts that each page (`home`, `dashboard/profile`) needs beside the entry. */
  pages: Record<string, string[]>;
  /** The pages' addresses by their ids: `dashboard/payment`: `/dashboard/payment/:id`. */
  paths: Record<string, string>;
  /** Pictures and icons by the name that pages know them under, such as `movement.svg`. */
  files: Record<string, string>;
};

/** The parts of a call. A call within the process is never aborted. Only posted forms send a body. */
export type CallParts = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal;
};

/** Its answer, and where the next page of a list starts. */
export type DirectAnswer<Name extends CallName> = {
  answer: Answer<Contract[Name]>;
  after: string | undefined;
};

/** Asks a call of the contract, as who asks for the page. Throws a `Problem` where it is refused. */
export type AskCall = <Name extends CallName>(name: Name, given: CallParts) => Promise<DirectAnswer<Name>>;

/** A form that a browser posted without the page's script. */
export type PostedForm = {
  /** Its text fields. A picture sent with it has already been stored: `img` is its address. */
  fields: [name: string, value: string][];
  /** Why the picture was refused. */
  pictureProblem?: Problem;
};

/** A response of the identity service. */
export type IdentityAnswer = { status: number; body: unknown; retryAfter: string | null };

/** What a posted form may do on behalf of its sender. Unlike `askCall`, `call` may change data. */
export type FormActions = {
  call: AskCall;
  askIdentity: (path: string, body: object) => Promise<IdentityAnswer>;
};

export type PageRequest = {
  url: string;
  /** The form that was posted to the page; its origin has been checked. */
  post?: { form: PostedForm; actions: FormActions } | undefined;
  /** Identifies the request in the shop's log. */
  requestId: string;
  askCall: AskCall;
  viewer: Viewer | undefined;
  settings: WebSettings;
};

/** A page whose action and loaders have run. Plain data: a thread renders it. */
export type LoadedPage = Pick<PageRequest, 'url' | 'requestId' | 'viewer' | 'settings'> & {
  status: number;
  /** The page takes card payments: its security policy allows the provider's script. */
  takesCards: boolean;
  location: { pathname: string; search: string; hash: string; state: unknown; key: string };
  /** The page's routes by id, from the outermost. */
  matches: {
    id: string;
    params: Record<string, string | undefined>;
    pathname: string;
    pathnameBase: string;
  }[];
  loaderData: Record<string, unknown>;
  actionData: Record<string, unknown> | undefined;
  /** Errors by the id of the route that shows them. */
  errors: Record<string, Problem> | undefined;
};

/** `error` is an unexpected one, for the log. */
export type LoadResult =
  | { redirect: { status: number; location: string } }
  | { page: LoadedPage; error?: unknown };

/** A whole document. `error` is an unexpected one, for the log; `status` is then 500. */
export type RenderedPage = { status: number; html: string; error?: unknown };

/** The pages' server entry. */
export type PagesEntry = {
  /** Runs a page's action, if a form was posted, and its loaders. */
  load: (request: PageRequest) => Promise<LoadResult>;
  /** Renders a loaded page. A pure function, so that any thread can do it. */
  render: (page: LoadedPage, manifest: Manifest) => Promise<RenderedPage>;
};
