/**
 * What the server and the pages' code agree on. The server serves pages that were built before (`dist/`), and
 * neither side imports the other, so their common types stand here.
 */

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
  font: string;
  /** The page's one style sheet, and its hash for the security policy. */
  styles: string;
  stylesHash: string;
  /** The scripts that each page (`home`, `dashboard/profile`) needs beside the entry. */
  pages: Record<string, string[]>;
  /** Pictures and icons by the name that pages know them under, such as `movement.svg`. */
  files: Record<string, string>;
};

export type PageRequest = {
  request: Request;
  /** The app itself, as a call reaches it from outside. */
  callApi: (request: Request) => Promise<Response>;
  viewer: Viewer | undefined;
  settings: WebSettings;
  manifest: Manifest;
  requestId: string;
};

/** A whole page, or where to go instead. `error` is one that nobody foresaw: for the log. */
export type RenderedPage = {
  status: number;
  location?: string;
  html: string;
  /** Whether cards are taken here, so that the policy lets the provider's script in. */
  takesCards: boolean;
  error?: unknown;
};

export type Render = (page: PageRequest) => Promise<RenderedPage>;
