import { BlockList, isIPv6, SocketAddress } from 'node:net';
import { ShopError } from '../../contract/errors.ts';
import type { Config } from '../config/config.ts';
import { readBearer } from './request.ts';

/** Redirects and `Link` headers repeat the URL, percent-encoded, and Node's clients accept 16 KB of headers. */
export const maxUrlLength = 4000;

/** The shop's own hosts, as in a `Host` header. Browsers leave out the default port, but some proxies write it. */
export const listHosts = ({ origins }: Config): ReadonlySet<string> =>
  new Set(
    origins.flatMap((origin) => {
      const { protocol, host, port } = new URL(origin);
      return port ? [host] : [host, `${host}:${protocol === 'https:' ? 443 : 80}`];
    }),
  );

/** Headers that proxies and tunnels add. */
const proxyHeaders =
  /^(forwarded|via|x-forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip|fastly-client-ip)$/;

/** Whether a proxy says that it forwarded the request. */
export const isForwarded = (headers: Headers): boolean =>
  headers.keys().some((name) => proxyHeaders.test(name));

export const isReadMethod = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

/** Whether a request with these headers carries no credentials, so that its response is the same for everyone. */
export const isAnonymous = (cookie: string | null = null, authorization: string | null = null): boolean =>
  (cookie ?? authorization) === null;

/** Throws 421 if a request names another host. URLs in responses never come from `Host`. */
export function checkHost(config: Config, hosts: ReadonlySet<string>, url: URL): void {
  if (hosts.has(url.host)) return;
  throw new ShopError(
    'wrong_host',
    `The shop is at ${config.origins[0]}. If ${url.host.slice(0, 300)} is also its address, set PUBLIC_URL.`,
  );
}

/**
 * Throws 403 for a state-changing request that another site made with our visitor's cookie (CSRF). Accepts any request with a
 * bearer token, which alone authenticates it, and which another site can't know. Other kinds of `Authorization` don't count,
 * because browsers add them automatically.
 */
export function checkOrigin(config: Config, request: Request): void {
  const { method, headers } = request;
  if (isReadMethod(method) || method === 'OPTIONS') return;
  if (readBearer(headers.get('authorization') ?? '') !== undefined) return;
  const origin = headers.get('origin');
  // A form on a page with the referrer policy `no-referrer` is posted with the origin `null`.
  const isHidden = origin === null || origin === 'null';
  if (isHidden ? headers.get('sec-fetch-site') === 'same-origin' : config.origins.includes(origin)) return;
  throw new ShopError(
    'foreign_origin',
    `This call must come from the shop's own pages at ${config.origins[0]}.`,
  );
}

/** Sets the security headers of a response. Pages set their own content security policy. */
export function setSecurityHeaders({ origins }: Config, headers: Headers): void {
  headers.set('x-content-type-options', 'nosniff');
  if (!headers.has('referrer-policy')) headers.set('referrer-policy', 'strict-origin-when-cross-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()');
  // Responses are not cached unless their route allows it.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  if (!headers.has('cross-origin-resource-policy'))
    headers.set('cross-origin-resource-policy', 'same-origin');
  if (origins[0].startsWith('https:')) headers.set('strict-transport-security', 'max-age=31536000');
}

/** Finds the client's network address: the socket's, or the one that a trusted proxy reports in `X-Forwarded-For`. */
export function createAddressReader(trusted: string[]) {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

  return {
    /** Whether a socket's address is a trusted proxy's. A socket that has been closed has no address. */
    isTrusted: (socketAddress = '') => isProxy(canonical(socketAddress)),
    readAddress(socketAddress = '', forwardedFor?: string | null): string {
      let address = canonical(socketAddress);
      if (!forwardedFor) return network(address);
      // From the nearest hop outwards: the first address that isn't a trusted proxy is the client.
      const hops = readHops(forwardedFor);
      while (isProxy(address)) {
        const hop = hops.next().value;
        if (!hop) break;
        address = canonical(hop);
      }
      return network(address).slice(0, 100);
    },
  };
}

/** The hops of `X-Forwarded-For`, nearest first. A client may send thousands, but only the last few count, so this is a generator. */
function* readHops(forwardedFor: string): Generator<string> {
  for (let end = forwardedFor.length; end >= 0; ) {
    const comma = forwardedFor.slice(0, end).lastIndexOf(',');
    yield withoutPort(forwardedFor.slice(comma + 1, end));
    end = comma;
  }
}

/** Some proxies write `192.0.2.1:1234` or `[2001:db8::1]:1234`. */
function withoutPort(hop: string): string {
  return hop
    .trim()
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1');
}

/** One spelling per address: IPv4-mapped IPv6 (RFC 4291, 2.5.5.2) becomes IPv4, even if written in hexadecimal. */
function canonical(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  const { address: short } = new SocketAddress({ address: plain, family: 'ipv6' });
  return short.replace(/^::ffff:(?=[\d.]+$)/, '');
}

/** Rate limits count by /64 of IPv6, because each subscriber gets a whole /64 (RFC 6177). */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
