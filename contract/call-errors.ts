import type { Call } from './call.ts';
import { paths } from './paths.ts';

/** The protocol that defines a call's errors: the shop's, the image host's or Better Auth's. */
export type Protocol = 'shop' | 'images' | 'identity';

export function protocolOf({ path }: Pick<Call, 'path'>): Protocol {
  if (path === paths.uploadImage.path) return 'images';
  return path.startsWith('/auth/') ? 'identity' : 'shop';
}

/**
 * The call's error statuses: those that follow from its definition, and its own `errors`. Any call may also respond with 503
 * (overload or no database), 403 (a state-changing request from another site), 414 (URL too long) or 421 (wrong host).
 */
export function listErrors(call: Call): number[] {
  const { access, path, method, query } = call;
  const isShop = protocolOf(call) === 'shop';
  // The other protocols read a body with every POST, and reject invalid fields with 400.
  const hasBody = Boolean(call.body || call.file) || (!isShop && method === 'POST');
  const isForOwner = access === 'owner' || access === 'owner-or-admin';
  const statuses: [status: number, applies: boolean][] = [
    [400, hasBody],
    [401, access !== 'everyone' && access !== 'provider'],
    [403, access === 'self' || access === 'self-or-admin' || access === 'admin'],
    [404, isForOwner || path.includes('/:id')],
    [409, call.conflicts !== undefined],
    [413, hasBody],
    [415, hasBody],
    [422, isShop && (hasBody || query !== undefined || path.includes('/:email'))],
  ];
  const usual = statuses.filter(([, applies]) => applies).map(([status]) => status);
  return [...new Set([...usual, ...(call.errors ?? [])])].sort();
}
