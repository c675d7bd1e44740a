import { createHmac, timingSafeEqual } from 'node:crypto';

/** A session's token with Better Auth's signature, as cookies and the bearer token carry it. */
export function signToken(token: string, secret: string): string {
  return `${token}.${signature(token, secret)}`;
}

/** The token in a signed one, or undefined if the signature is wrong. */
export function verifyToken(signed: string, secret: string): string | undefined {
  const dot = signed.lastIndexOf('.');
  if (dot < 1) return undefined;
  const token = signed.slice(0, dot);
  const actual = Buffer.from(signed.slice(dot + 1));
  const expected = Buffer.from(signature(token, secret));
  // In constant time: the duration must not reveal how much of a guess was right.
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? token : undefined;
}

/** HMAC-SHA256 in Base64, as better-call signs cookies. */
function signature(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64');
}
