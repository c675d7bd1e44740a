import { createHash, timingSafeEqual } from 'node:crypto';

/** What a proxy adds of whom it speaks for, each in its own way. */
const forwarding =
  /^(forwarded|via|x-forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip|fastly-client-ip)$/;

/**
 * Whether somebody may read the metrics: with the token, or from this machine itself. A request that a proxy
 * passes on comes from its machine, too, and says by these headers that it speaks for somebody else.
 */
export function mayRead(token: string | undefined, headers: Headers, socketAddress: string): boolean {
  const given = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (given !== undefined) return token !== undefined && isSame(given, token);
  return isLoopback(socketAddress) && ![...headers.keys()].some((name) => forwarding.test(name));
}

/** In a time that tells nothing of either; hashes have one length. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}

const isLoopback = (address: string): boolean =>
  /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === '::1';
