import type { Config } from '../config.ts';

/** Carries the network address that the shop believes in to Better Auth. */
export const addressHeader = 'x-shop-address';

/** Over https the cookies' names tie them to this host and path (RFC 6265bis, `__Host-`). */
export const cookiePrefix = (config: Config): string => `${isSecure(config) ? '__Host-' : ''}shop`;

/** The session's cookie. */
export const sessionCookie = (config: Config): string => `${cookiePrefix(config)}.session_token`;

export const isSecure = (config: Config): boolean => config.origins[0].startsWith('https:');
