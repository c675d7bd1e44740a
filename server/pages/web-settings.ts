import type { WebSettings } from '../../contract/pages.ts';
import { apiBase, paths } from '../../contract/paths.ts';
import type { Config } from '../config/config.ts';
import { defaultCurrency } from '../config/currency.ts';
import type { Services } from '../config/services.ts';

/** The settings that every page contains. All are public. */
export function toWebSettings(config: Config, services: Services): WebSettings {
  const { imageHost } = config;
  return {
    origin: config.origins[0],
    apiBase,
    imageUploadUrl: imageHost ? withKey(imageHost) : paths.uploadImage.path,
    stripePublishableKey: services.stripe.publishableKey,
    // The stand-in's script is a path, so that it works on each of our origins.
    stripeJsUrl: services.stripe.jsUrl.replace(`${config.origins[0]}/`, '/'),
    currency: config.currency,
    chargedCurrency: config.currency ?? defaultCurrency,
    sandbox: config.services === undefined,
    google: services.google !== undefined,
  };
}

/** The image host's URL, which may have a query, with its key. */
function withKey({ url, key }: NonNullable<Config['imageHost']>): string {
  const address = new URL(url);
  address.searchParams.set('key', key);
  return address.href;
}
