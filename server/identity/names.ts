import type { Config } from '../config/config.ts';

/** Passes the client address that the shop trusts to Better Auth. */
export const addressHeader = 'x-shop-address';

/** Over https, the `__Host-` prefix ties the cookies to this host and path (RFC 6265bis). */
export const cookiePrefix = (config: Config): string => `${isSecure(config) ? '__Host-' : ''}shop`;

/** The name of the session cookie. */
export const sessionCookie = (config: Config): string => `${cookiePrefix(config)}.session_token`;

export const isSecure = (config: Config): boolean => config.origins[0].startsWith('https:');
