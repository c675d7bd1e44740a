import type { WebSettings } from '../../contract/pages.ts';

/** `stripeApiUrl` is called by the provider's script; `stylesHash` is the hash of the inlined style sheet. */
type Options = { settings: WebSettings; stripeApiUrl: string; stylesHash: string };

/** The content security policies of pages without and with a card form. */
export function createContentPolicies(options: Options) {
  return { plain: contentPolicy(options, false), takesCards: contentPolicy(options, true) };
}

/**
 * Only pages with a card form allow the provider's origins, listed in
 * https://docs.stripe.com/security/guide#content-security-policy. The stand-in is on our own origin and needs none.
 */
function contentPolicy({ settings, stripeApiUrl, stylesHash }: Options, takesCards: boolean): string {
  const provider = new URL(settings.stripeJsUrl, settings.origin).origin;
  const isForeign = takesCards && provider !== settings.origin;
  const { host, protocol } = new URL(provider);
  const script = isForeign ? ` ${provider} ${protocol}//*.${host}` : '';
  const frames = isForeign
    ? [`frame-src${script} https://hooks.stripe.com`]
    : takesCards
      ? ["frame-src 'self'"]
      : [];
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
    ...frames,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Our scripts never turn text into code or markup; the provider's inserts script elements.
    ...(takesCards ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
  ].join('; ');
}
