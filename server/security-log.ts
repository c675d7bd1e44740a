import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { contract } from '../contract/contract.ts';
import { apiBase } from '../contract/paths.ts';
import { callbackErrors } from './identity/callback-errors.ts';
import { authBase, mounted } from './identity/form.ts';
import type { Visit } from './route.ts';

/** Calls of identity that only tell something. */
const telling = new Set(['/get-session', '/list-sessions']);

/** Where somebody can be refused, by the first names of the calls. */
const places = new Set([
  authBase,
  ...Object.values(contract).map(({ path }) => apiBase + path.replace(/^(\/[^/]+).*/, '$1')),
  contract.uploadImage.path,
]);

/**
 * Writes down, one line each, who comes in and goes, and who is refused: the event, what became of it, the id of the
 * person and the request. No personal data: a network address stands as a keyed hash, which tells whether two are one.
 */
export function createSecurityLog(log: Logger, secret: string) {
  const hide = (address: string) =>
    createHmac('sha256', secret).update(`address ${address}`).digest('base64url').slice(0, 12);

  async function write(event: string, request: Request, response: Response, visit: Visit): Promise<void> {
    // Of a sign-in that succeeded, who has come in by it.
    const viewer = await visit.findViewer().catch(() => undefined);
    const failed = new URLSearchParams(response.headers.get('location')?.split('?')[1]).get('error');
    log.info({
      ...{ requestId: visit.requestId, security: event, method: request.method, status: response.status },
      ...(failed === null ? {} : { failed: callbackErrors.has(failed) ? failed : 'other' }),
      ...(viewer ? { person: viewer.id } : {}),
      from: hide(visit.address),
    });
  }

  /** Undefined where there is nothing to write down, as of nearly all requests. */
  return (request: Request, path: string, response: Response, visit: Visit): Promise<void> | undefined => {
    const event = nameEvent(path, response.status);
    return event === undefined ? undefined : write(event, request, response, visit);
  };
}

/** In words of our own alone: whoever asks could write anything into an address, an e-mail too. */
function nameEvent(path: string, status: number): string | undefined {
  const name = path.startsWith(authBase) ? path.slice(authBase.length) : '';
  if (mounted.has(name) && status !== 404 && status !== 405)
    return telling.has(name) && status < 400 ? undefined : name;
  if (path === apiBase + contract.receiveStripeEvent.path && status === 400) return 'forged event';
  if (status !== 403 && status !== 429) return undefined;
  const place = path.split('/').slice(0, 3).join('/');
  if (places.has(place)) return `refused ${place}`;
  return path.startsWith('/images/') ? 'refused /images' : 'refused page';
}
