import { createHmac, timingSafeEqual } from 'node:crypto';

/** A session's token as it leaves the shop: with Better Auth's own signature, which a guesser cannot make. */
export function signToken(token: string, secret: string): string {
  return `${token}.${signature(token, secret)}`;
}

/** The session's token out of a signed one, or undefined where the signature is not ours. */
export function verifyToken(signed: string, secret: string): string | undefined {
  const dot = signed.lastIndexOf('.');
  if (dot < 1) return undefined;
  const token = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1));
  const ours = Buffer.from(signature(token, secret));
  // Compared in constant time: how long it takes must not tell how much of a guess was right.
  return given.length === ours.length && timingSafeEqual(given, ours) ? token : undefined;
}

/** HMAC-SHA256 in Base64, as better-call signs cookies. */
function signature(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64');
}
