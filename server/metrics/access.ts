import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { isLoopback } from '../config.ts';
import { readBearer } from '../request.ts';

/** What a proxy adds of whom it speaks for, each in its own way. */
const forwarding =
  /^(forwarded|via|x-forwarded|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip|fastly-client-ip)$/;

/**
 * Whether somebody may read the metrics: with the token, or from this machine itself. A request that a proxy
 * passes on comes from its machine, too, and says by these headers that it speaks for somebody else. So does one of a
 * page elsewhere whose own name leads here by now (DNS rebinding), and its host says so.
 */
export function mayRead(
  token: string | undefined,
  { url, headers }: Request,
  socketAddress: string,
): boolean {
  const given = readBearer(headers.get('authorization') ?? '');
  if (given !== undefined) return token !== undefined && isSame(given, token);
  return (
    isLoopback(socketAddress.replace(/^::ffff:/, '')) &&
    isNobodysName(new URL(url).hostname) &&
    ![...headers.keys()].some((name) => forwarding.test(name))
  );
}

/** An address, or `localhost`: no name that somebody else can lead here. */
const isNobodysName = (host: string): boolean =>
  host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** In a time that tells nothing of either; hashes have one length. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
