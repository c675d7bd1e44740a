import { BlockList, isIPv6 } from 'node:net';
import type { Config } from './config.ts';
import { ShopError } from './errors.ts';

/** The shop's own, as a `Host` header has them. */
export const hostsOf = ({ origins }: Config): ReadonlySet<string> =>
  new Set(origins.map((origin) => new URL(origin).host));

/** Throws 421 where a request names another host: answers and addresses of ours never come from `Host`. */
export function judgeHost(config: Config, hosts: ReadonlySet<string>, url: URL): void {
  if (hosts.has(url.host)) return;
  throw new ShopError(
    'wrong_host',
    `The shop is at ${config.origins[0]}. If ${url.host.slice(0, 300)} is its address too, set PUBLIC_URL.`,
  );
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws 403 for a changing call that another site made with our visitor's cookie. A call with an
 * `Authorization` header is judged by that alone, and no other site can know what to put there.
 */
export function judgeOrigin(config: Config, request: Request): void {
  if (reading.has(request.method) || request.headers.has('authorization')) return;
  const origin = request.headers.get('origin');
  if (
    origin === null
      ? request.headers.get('sec-fetch-site') === 'same-origin'
      : config.origins.includes(origin)
  )
    return;
  throw new ShopError(
    'foreign_origin',
    `This call must come from the shop's own pages at ${config.origins[0]}.`,
  );
}

/** The network address that a request came from: the socket's, or what a trusted proxy says of it. */
export function createAddressReader(trusted: string[]) {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

  return function readAddress(socketAddress: string, headers: Headers): string {
    let address = canonical(socketAddress);
    // From the nearest hop outwards; the first that is not a proxy of ours is who asks.
    const hops = (headers.get('x-forwarded-for') ?? '').split(',').map(withoutPort).reverse();
    for (const hop of hops) {
      if (!hop || !isProxy(address)) break;
      address = canonical(hop);
    }
    return network(address).slice(0, 100);
  };
}

/** Some proxies write `192.0.2.1:1234` or `[2001:db8::1]:1234`. */
function withoutPort(hop: string): string {
  return hop
    .trim()
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1');
}

/** One spelling for one address: IPv4-mapped IPv6 (RFC 4291, 2.5.5.2) is IPv4, in hexadecimal too. */
function canonical(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  const short = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const bytes = [high, low].flatMap((word) => [
    Number.parseInt(word, 16) >> 8,
    Number.parseInt(word, 16) & 0xff,
  ]);
  return bytes.join('.');
}

/** One subscriber has a whole /64 of IPv6 (RFC 6177): tries from it count together. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = address.includes('::')
    ? Array.from({ length: 8 - left.length - right.length }, () => '0')
    : [];
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}
