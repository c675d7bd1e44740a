import type { WebSettings } from '../../contract/pages.ts';

/**
 * The security policy of one page. The provider's origins are let in only where cards are taken, as Stripe asks
 * (https://docs.stripe.com/security/guide#content-security-policy); a stand-in on our own origin needs none.
 */
export function contentPolicy(settings: WebSettings, stylesHash: string, takesCards: boolean): string {
  const provider = new URL(settings.stripeJsUrl, settings.origin).origin;
  const away = takesCards && provider !== settings.origin;
  const { host, protocol } = new URL(provider);
  const script = away ? ` ${provider} ${protocol}//*.${host}` : '';
  const frame = away ? `${script} https://hooks.stripe.com` : takesCards ? " 'self'" : " 'none'";
  const connect = away ? ' https://api.stripe.com' : '';
  const images = new URL(settings.imageUploadUrl, settings.origin).origin;
  // A hosted picture may stand on any https address: the service's uploads and its pictures have two hosts.
  const hosted = images !== settings.origin;
  return [
    "default-src 'none'",
    `script-src 'self'${script}`,
    `style-src 'self' 'sha256-${stylesHash}'`,
    `img-src 'self' data: blob:${hosted ? ' https:' : ''}`,
    "font-src 'self'",
    `connect-src 'self'${connect}${hosted ? ` ${images}` : ''}`,
    `frame-src${frame}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
