import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { contract } from '../../contract/contract.ts';
import { apiBase } from '../../contract/paths.ts';
import type { RequestContext } from '../http/request-context.ts';
import { authBase, mountedCalls } from '../identity/calls.ts';
import { callbackErrors } from '../identity/google.ts';

const readCalls = new Set(['/get-session', '/list-sessions']);

/** The first two path segments of every call. Rejected requests are logged under these prefixes. */
const pathPrefixes = new Set([
  authBase,
  ...Object.values(contract).map(({ path }) => apiBase + path.replace(/^(\/[^/]+).*/, '$1')),
  contract.uploadImage.path,
]);

/**
 * Logs sign-ins, other identity calls and rejected requests. No personal data: network addresses are keyed hashes, which
 * only show whether two are the same.
 */
export function createSecurityLog(log: Logger, secret: string) {
  async function write(event: string, request: Request, response: Response, visit: RequestContext) {
    // After a sign-in, this is the user who signed in.
    const viewer = await visit.findViewer().catch(() => undefined);
    const error = new URLSearchParams(response.headers.get('location')?.split('?')[1]).get('error');
    const addressHash = createHmac('sha256', secret).update(`address ${visit.address}`).digest('base64url');
    log.info({
      requestId: visit.requestId,
      security: event,
      method: request.method,
      status: response.status,
      ...(error === null ? {} : { failed: callbackErrors.has(error) ? error : 'other' }),
      ...(viewer ? { person: viewer.id } : {}),
      from: addressHash.slice(0, 12),
    });
  }

  /** Returns undefined if there is nothing to log, as for nearly all requests. */
  return (request: Request, path: string, response: Response, visit: RequestContext) => {
    const event = nameEvent(path, response.status);
    return event === undefined ? undefined : write(event, request, response, visit);
  };
}

/** Returns only fixed strings: a URL may contain anything, including an email address. */
function nameEvent(path: string, status: number): string | undefined {
  const name = path.startsWith(authBase) ? path.slice(authBase.length) : '';
  if (mountedCalls.has(name) && status !== 404 && status !== 405)
    return readCalls.has(name) && status < 400 ? undefined : name;
  if (path === apiBase + contract.receiveStripeEvent.path && status === 400) return 'forged event';
  if (status !== 403 && status !== 429) return undefined;
  const prefix = path.split('/').slice(0, 3).join('/');
  if (pathPrefixes.has(prefix)) return `rejected ${prefix}`;
  return path.startsWith('/images/') ? 'rejected /images' : 'rejected page';
}
