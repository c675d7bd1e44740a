import type { WebSettings } from '../../contract/pages.ts';
import { apiBase, paths } from '../../contract/paths.ts';
import type { Config } from '../config/config.ts';
import { defaultCurrency } from '../config/currency.ts';
import type { Services } from '../config/services.ts';

/** What every page knows of the shop. All of it is public. */
export function toWebSettings(config: Config, services: Services): WebSettings {
  const { imageHost } = config;
  return {
    origin: config.origins[0],
    apiBase,
    imageUploadUrl: imageHost ? withKey(imageHost) : paths.uploadImage.path,
    stripePublishableKey: services.stripe.publishableKey,
    // A path where the script is our own host's, so that it fits whichever of our origins the page came from.
    stripeJsUrl: services.stripe.jsUrl.replace(`${config.origins[0]}/`, '/'),
    currency: config.currency,
    chargedCurrency: config.currency ?? defaultCurrency,
    sandbox: config.services === undefined,
    google: services.google !== undefined,
  };
}

/** The host's address as its protocol wants it; it may have a query of its own. */
function withKey({ url, key }: NonNullable<Config['imageHost']>): string {
  const address = new URL(url);
  address.searchParams.set('key', key);
  return address.href;
}
