import type { Config } from '../config.ts';

/** Carries the network address that the shop believes in; a client's own header of this name is dropped. */
export const addressHeader = 'x-shop-address';

/** The session's cookie. Over https its name keeps it to this host and path (RFC 6265bis, `__Host-`). */
export function sessionCookie(config: Config): string {
  return `${isSecure(config) ? '__Host-' : ''}shop.session_token`;
}

export const isSecure = (config: Config): boolean => config.origins[0].startsWith('https:');
