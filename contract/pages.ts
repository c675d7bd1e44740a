/**
 * The interface between the server and the pages, which are built into `dist/`. Neither imports the other, so the
 * types that they share are here.
 */

import type { ResponseBody } from './call.ts';
import type { Contract } from './contract.ts';
import type { CallName } from './paths.ts';
import type { Problem } from './problem.ts';
import type { ShownPromise } from './promises.ts';

/** The step that gives admins their rights if `REQUIRE_ADMIN_2FA` is set: turn on two-factor sign-in, or enter a code. */
export type AdminStep = 'setup' | 'code';

/** The signed-in user for whom a page is rendered. */
export type Viewer = {
  _id: string;
  /** The session's id, never its secret. The browser stores it with its token. */
  session: string;
  name: string;
  email: string;
  /** The user has confirmed the address with a link in a message, or Google has. */
  emailVerified: boolean;
  role?: 'admin';
  adminStep?: AdminStep;
  /** Two-factor sign-in is on. */
  twoFactor: boolean;
  address: string;
  phone: string;
  education: string;
  linkedIn: string;
  /** `password`, `google` or both. Only a loaded page has it: it is absent after a sign-in without a page load. */
  signsInWith?: string[];
  /** The new address, on the page whose link changes the user's address. */
  requestedEmail?: string;
  /** The quantities in the basket when the page was loaded, by the product's id. Only a loaded page has them. */
  basketQuantities?: Record<string, number>;
};

/** The settings that pages need. They are public: every page contains them. */
export type WebSettings = {
  /** The shop's canonical origin, such as `https://shop.example`. */
  origin: string;
  apiBase: string;
  /** The image host: `/1/upload`, or a hosted service's URL with its public key. */
  imageUploadUrl: string;
  stripePublishableKey: string;
  stripeJsUrl: string;
  /** `SHOP_CURRENCY`. If unset, prices are labelled Taka, as specified, and charged in `chargedCurrency`. */
  currency: string | undefined;
  chargedCurrency: string;
  /** The shop's time zone: an IANA name. Absent means UTC. */
  timeZone?: string;
  sandbox: boolean;
  /** Whether the keys are test keys, which charge no real card. Absent means no. */
  testKeys?: true;
  google: boolean;
  /** Whether the shop sends mail. */
  sendsMail: boolean;
  /** Whether there is a contact form and a newsletter. Absent means no. */
  contact?: true;
  newsletter?: true;
  /** The text above the contact form or newsletter form that is not set up. Absent if both are set up, and in a sandbox. */
  unusedForm?: string;
  /** Whether visitors may read the catalogue. Absent means no. */
  openCatalogue?: true;
  /** Whether customers choose a delivery rate at the checkout. Absent means no. */
  delivers?: true;
  /** For how many years paid orders keep the name and address after their account is deleted. */
  orderRetentionYears: number;
};

export type ShownCategory = {
  category: string;
  /** The number of its products; a minimum if `atLeast` is set. */
  count: number;
  atLeast?: true | undefined;
  /** The URL of an image of one of its products. */
  img: string;
};

/** The texts of all pages that depend on the shop's data. */
export type Frame = {
  /** The largest categories, in alphabetical order. */
  categories: ShownCategory[];
  /** The lines of the seller's name, address and tax number; none unless the owner has entered an address or a number. */
  seller: string[];
  promises: ShownPromise[];
  /** The number of days in the promise about returns, and the code of the shop's country, if the owner has entered both. */
  returnPolicy?: { days: number; country: string };
  /** An admin has entered delivery rates. `load` in `web/entry-server.tsx` adds it to the settings of the page. */
  delivers?: true;
};

/** Of a page whose frame could not be read. */
export const emptyFrame: Frame = { categories: [], seller: [], promises: [] };

/** The build's manifest (`dist/manifest.json`). URLs start with `/static/`. */
export type Manifest = {
  entry: string;
  /** The pages' server entry, a file in `dist/server`. */
  server: string;
  /** The entry that renders email, a file in `dist/server`. */
  mail: string;
  font: string;
  /** The style sheet inlined in pages that do not link `styles.css`, and its hash for the security policy. */
  styles: string;
  stylesHash: string;
  /**
   * The scripts that each page needs, by route id such as `dashboard/account/profile`; `account` is the header for signed-in
   * users.
   */
  pages: Record<string, string[]>;
  /** The path pattern of each page by route id: `dashboard/account/payment` is `/dashboard/payment/:id`. */
  paths: Record<string, string>;
  /** URLs of icons and other files by their source name, such as `icon.svg`. */
  files: Record<string, string>;
};

/** The parameters of a call from a page. Calls within the process ignore `signal`; only posted forms send a body. */
export type CallArguments = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal;
};

/** A call's response body and, for a list, the id after which the next page starts. */
export type CallResult<Name extends CallName> = {
  answer: ResponseBody<Contract[Name]>;
  after: string | undefined;
};

/** Makes a call on behalf of the page's viewer. Rejects with a `Problem`. */
export type PageCall = <Name extends CallName>(name: Name, args: CallArguments) => Promise<CallResult<Name>>;

/** A form that was submitted as a plain HTML post. */
export type PostedForm = {
  /** The text fields. An attached image has already been stored; `img` is its URL. */
  fields: [name: string, value: string][];
  /** Why the image was rejected. */
  imageProblem?: Problem;
};

/** A response of the identity service. */
export type IdentityResponse = { status: number; body: unknown; retryAfter: string | null };

/** Actions of a posted form on behalf of the viewer. Unlike the `call` of a page, this one may change data. */
export type FormActions = {
  call: PageCall;
  callIdentity: (path: string, body: object) => Promise<IdentityResponse>;
};

export type PageRequest = {
  url: string;
  /** The form that was posted to the page; its origin has been checked. */
  post?: { form: PostedForm; actions: FormActions } | undefined;
  /** Identifies the request in the shop's log. */
  requestId: string;
  call: PageCall;
  viewer: Viewer | undefined;
  settings: WebSettings;
  frame: Frame;
};

/** A page whose action and loaders have run. It is sent as JSON to the thread that renders it. */
export type LoadedPage = Pick<PageRequest, 'url' | 'requestId' | 'viewer' | 'settings' | 'frame'> & {
  status: number;
  /** The page takes card payments: its security policy allows the provider's script. */
  takesCards: boolean;
  /** The page's URL contains a token: it is neither stored nor sent to other pages. */
  hasToken: boolean;
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

/** `error` is an unexpected error, for the log. */
export type LoadResult =
  | { redirect: { status: number; location: string } }
  | { page: LoadedPage; error?: unknown };

/** A whole document. If there was an unexpected error, `error` is set, for the log, and `status` is 500. */
export type RenderedPage = { status: number; html: string; error?: unknown };

/** The pages' server entry. */
export type PagesEntry = {
  /** Runs a page's action, if a form was posted, and its loaders. */
  load: (request: PageRequest) => Promise<LoadResult>;
  /** Renders a loaded page. A pure function, so that any thread can do it. */
  render: (page: LoadedPage, manifest: Manifest) => Promise<RenderedPage>;
};
