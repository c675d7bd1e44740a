import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  blogsPage,
  contactPage,
  deliveryPage,
  homePage,
  loginPage,
  newsletterPage,
  productsPage,
  signUpPage,
} from '../../contract/page-addresses.ts';
import {
  emptyFrame,
  type Frame,
  type Manifest,
  type PageRequest,
  type WebSettings,
} from '../../contract/pages.ts';
import { apiBase, paths } from '../../contract/paths.ts';
import type { Config } from '../config/config.ts';
import { defaultCurrency } from '../config/currency.ts';
import type { Services } from '../config/services.ts';
import { isUnavailable } from '../database/errors.ts';
import { chooseEncoding } from '../http/encoding.ts';
import { createCrawlerFiles, createStaticFiles } from './files.ts';
import type { Renderer } from './renderer.ts';

type Options = {
  settings: WebSettings;
  readFrame: () => Promise<Frame>;
  /** The payment provider's API, which pages with a card form may call. */
  stripeApiUrl: string;
  root: string;
  manifest: Manifest;
  renderer: Renderer;
  report: (error: unknown, requestId: string) => void;
};

export type PageVisit = Omit<PageRequest, 'url' | 'settings' | 'frame'> & {
  /** The request has no credentials, so all visitors share the page: the response cache compresses it. */
  anonymous: boolean;
};

const listSitemapPaths = (
  { contact, newsletter, openCatalogue }: WebSettings,
  { delivers }: Frame,
): string[] => [
  homePage,
  blogsPage,
  loginPage,
  signUpPage,
  ...(openCatalogue ? [productsPage] : []),
  ...(delivers ? [deliveryPage] : []),
  ...(contact ? [contactPage] : []),
  ...(newsletter ? [newsletterPage] : []),
];

export function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
}

/** The settings that every page contains. All are public. */
export function toWebSettings(config: Config, { stripe, google }: Services): WebSettings {
  const { currency, imageHost, sendsMail, orderRetentionYears, timeZone, services } = config;
  // The host's URL may have a query of its own.
  const hostUrl = imageHost && new URL(imageHost.url);
  if (imageHost) hostUrl?.searchParams.set('key', imageHost.key);
  const origin = config.origins[0];
  return {
    origin,
    apiBase,
    imageUploadUrl: hostUrl?.href ?? paths.uploadImage.path,
    stripePublishableKey: stripe.publishableKey,
    // The stand-in's script is a path, so that it works on each of our origins.
    stripeJsUrl: stripe.jsUrl.replace(`${origin}/`, '/'),
    currency,
    chargedCurrency: currency ?? defaultCurrency,
    ...(timeZone === 'UTC' ? {} : { timeZone }),
    sandbox: config.mode === 'sandbox',
    ...(config.mode === 'test' ? { testKeys: true } : {}),
    google: google !== undefined,
    sendsMail,
    ...(config.contactEmail ? { contact: true } : {}),
    ...(config.newsletter ? { newsletter: true } : {}),
    // In a live shop, visitors must know that their text reaches nobody.
    ...(services && !(config.contactEmail && config.newsletter)
      ? { unusedForm: 'This form is not set up yet. Nothing you enter here is sent.' }
      : {}),
    ...(config.openCatalogue ? { openCatalogue: true } : {}),
    orderRetentionYears,
  };
}

/** Serves the shop's pages and the files of the build. */
export function createPages(options: Options) {
  const { settings, readFrame, stripeApiUrl, root, manifest, renderer, report } = options;
  const policyOptions = { settings, stripeApiUrl, stylesHash: manifest.stylesHash };
  const plainPolicy = createContentPolicy(policyOptions, false);
  const cardPolicy = createContentPolicy(policyOptions, true);
  const serveStaticFile = createStaticFiles(join(root, 'web'));
  const icon = manifest.files['icon-32.png'] ?? '';
  const serveCrawlerFile = createCrawlerFiles(settings, icon);

  async function servePage(request: Request, { anonymous, ...visit }: PageVisit): Promise<Response> {
    // Without the frame, the page is still of use, but not cached. An unavailable database is no fault of ours.
    const frame = await readFrame().catch((error: unknown) => {
      if (!isUnavailable(error)) report(error, visit.requestId);
    });
    const loaded = await renderer.load({
      ...visit,
      url: toRenderableUrl(request.url),
      settings,
      frame: frame ?? emptyFrame,
    });
    const canonical = visit.post ? undefined : removeTrailingSlash(request.url);
    if (canonical !== undefined && ('redirect' in loaded || loaded.page.status !== 404))
      return new Response(null, { status: 301, headers: { location: canonical } });
    const hasToken = 'page' in loaded && loaded.page.hasToken;
    const isShared = anonymous && !visit.post && frame !== undefined;
    const headers = new Headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': visit.post || hasToken ? 'no-store' : 'private, no-cache',
      vary: 'Cookie, Authorization, Accept-Encoding',
    });
    if ('redirect' in loaded) {
      headers.set('location', loaded.redirect.location);
      return new Response(null, { status: loaded.redirect.status, headers });
    }
    if (hasToken) headers.set('referrer-policy', 'no-referrer');
    const encoding = chooseEncoding(isShared ? null : request.headers.get('accept-encoding'));
    const { body, status, error = loaded.error } = await renderer.render(loaded.page, encoding);
    if (error !== undefined) report(error, visit.requestId);
    headers.set('content-security-policy', loaded.page.takesCards ? cardPolicy : plainPolicy);
    if (status === 405) headers.set('allow', 'GET, HEAD');
    if (isShared && status === 200 && !hasToken) headers.set('cache-control', 'public, no-cache');
    if (!isShared) headers.set('content-length', String(body.length));
    if (encoding !== 'identity') headers.set('content-encoding', encoding);
    return new Response(body, { status, headers });
  }

  return {
    manifest,
    settings,
    listSitemapPaths: async () => listSitemapPaths(settings, await readFrame()),
    servePage,
    serveFile: (path: string, request: Request) => serveStaticFile(path, request) ?? serveCrawlerFile(path),
  };
}

/** Each page has one URL, without a trailing slash. */
function removeTrailingSlash(url: string): string | undefined {
  const { pathname, search } = new URL(url);
  // The lookbehind keeps matching linear: otherwise a long run of slashes would be tried from each of its slashes.
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  // A path that starts with `//` would redirect to another site.
  return path === '' || path === pathname || path.startsWith('//') ? undefined : path + search;
}

/** Control characters and line separators. No page's URL has them, and the router reports them as its own bugs. */
const controlCharacters = /[\p{Cc}\u2028\u2029]/u;

/** Replaces a URL that no page can have and that the router would warn about or fail on. */
function toRenderableUrl(url: string): string {
  const { pathname } = new URL(url);
  try {
    // The router would ignore a leading `//`, but a redirect to such a path leads to another site.
    if (!pathname.startsWith('//') && !controlCharacters.test(decodeURIComponent(pathname))) return url;
  } catch {
    // The path has a malformed escape.
  }
  return new URL('/nowhere', url).href;
}

/** `stripeApiUrl` is called by the provider's script; `stylesHash` is the hash of the inlined style sheet. */
type PolicyOptions = { settings: WebSettings; stripeApiUrl: string; stylesHash: string };

/**
 * Only pages with a card form (`takesCards`) allow the provider's origins, listed in
 * https://docs.stripe.com/security/guide#content-security-policy. The stand-in is on our own origin and needs none.
 */
export function createContentPolicy(options: PolicyOptions, takesCards: boolean): string {
  const { settings, stripeApiUrl, stylesHash } = options;
  const { origin: provider, host, protocol } = new URL(settings.stripeJsUrl, settings.origin);
  const isForeign = takesCards && provider !== settings.origin;
  const script = isForeign ? ` ${provider} ${protocol}//*.${host}` : '';
  const frame = isForeign ? `${script} https://hooks.stripe.com` : " 'self'";
  const connect = isForeign ? ` ${new URL(stripeApiUrl).origin}` : '';
  const images = new URL(settings.imageUploadUrl, settings.origin).origin;
  // A hosted image service may serve images from another host than it accepts uploads on: allow any https URL.
  const hosted = images !== settings.origin;
  return [
    "default-src 'none'",
    `script-src 'self'${script}`,
    `style-src 'self' 'sha256-${stylesHash}'`,
    `img-src 'self' blob:${hosted ? ' https:' : ''}`,
    "font-src 'self'",
    `connect-src 'self'${connect}${hosted ? ` ${images}` : ''}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Our scripts never turn text into code or markup; the provider's inserts script elements.
    ...(takesCards ? [`frame-src${frame}`] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
  ].join('; ');
}
