import type { WebSettings } from '../../contract/pages.ts';

/** `stripeApiUrl` is what the provider's script asks, `stylesHash` that of the page's one style sheet. */
type Options = { settings: WebSettings; stripeApiUrl: string; stylesHash: string };

/** The security policy of a page, and of one that takes cards. */
export function createContentPolicies(options: Options) {
  return { plain: contentPolicy(options, false), takesCards: contentPolicy(options, true) };
}

/**
 * The provider's origins are let in only where cards are taken, as Stripe asks
 * (https://docs.stripe.com/security/guide#content-security-policy); a stand-in on our own origin needs none.
 */
function contentPolicy({ settings, stripeApiUrl, stylesHash }: Options, takesCards: boolean): string {
  const provider = new URL(settings.stripeJsUrl, settings.origin).origin;
  const away = takesCards && provider !== settings.origin;
  const { host, protocol } = new URL(provider);
  const script = away ? ` ${provider} ${protocol}//*.${host}` : '';
  const frames = away
    ? [`frame-src${script} https://hooks.stripe.com`]
    : takesCards
      ? ["frame-src 'self'"]
      : [];
  const connect = away ? ` ${new URL(stripeApiUrl).origin}` : '';
  const images = new URL(settings.imageUploadUrl, settings.origin).origin;
  // A hosted picture may stand on any https address: the service's uploads and its pictures have two hosts.
  const hosted = images !== settings.origin;
  return [
    "default-src 'none'",
    `script-src 'self'${script}`,
    `style-src 'self' 'sha256-${stylesHash}'`,
    `img-src 'self' blob:${hosted ? ' https:' : ''}`,
    "font-src 'self'",
    `connect-src 'self'${connect}${hosted ? ` ${images}` : ''}`,
    ...frames,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // No text becomes code or markup by a script of ours. The provider's makes script elements by itself.
    ...(takesCards ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
  ].join('; ');
}
