import { createHmac, timingSafeEqual } from 'node:crypto';
import { dayMs } from '../../http/rate-limit.ts';

/* The token of the link that confirms a subscription. Until then, the address is stored only in the outbox. */

export const linkDays = 3;

/** `createdAt` is when the message was added, so that a retry sends the same link. */
export function signSubscription(email: string, createdAt: number, secret: string): string {
  const content = Buffer.from(JSON.stringify([email, createdAt + linkDays * dayMs])).toString('base64url');
  return `${content}.${sign(content, secret).toString('base64url')}`;
}

/** The address, or undefined if the token is forged or has expired. */
export function verifySubscription(token: string, secret: string): string | undefined {
  const [content = '', signature = ''] = token.split('.');
  const expected = sign(content, secret);
  const actual = Buffer.from(signature, 'base64url');
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  const [email, expiresAt]: [string, number] = JSON.parse(Buffer.from(content, 'base64url').toString());
  return Date.now() < expiresAt ? email : undefined;
}

/** The same secret signs sessions, so the signed text includes its purpose. */
const sign = (content: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`newsletter subscription: ${content}`).digest();
