import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { contract } from '../contract/contract.ts';
import { apiBase } from '../contract/paths.ts';
import { authBase } from './identity/routes.ts';
import type { Visit } from './route.ts';

/** Calls of identity that only tell something. */
const telling = new Set(['/get-session', '/list-sessions']);

/**
 * Writes down, one line each, who comes in and goes, and who is refused: the event, what became of it, the id of the
 * person and the request. No personal data: a network address stands as a keyed hash, which tells whether two are one.
 */
export function createSecurityLog(log: Logger, secret: string) {
  const hide = (address: string) =>
    createHmac('sha256', secret).update(`address ${address}`).digest('base64url').slice(0, 12);

  async function write(event: string, request: Request, response: Response, visit: Visit): Promise<void> {
    const viewer = await visit.findViewer().catch(() => undefined);
    const person = viewer?.id ?? (await readPerson(event, response));
    const failed = new URLSearchParams(response.headers.get('location')?.split('?')[1]).get('error');
    log.info({
      ...{ requestId: visit.requestId, security: event, method: request.method, status: response.status },
      ...(failed && /^\w{1,60}$/.test(failed) ? { failed } : {}),
      ...(person ? { person } : {}),
      from: hide(visit.address),
    });
  }

  /** Undefined where there is nothing to write down, as of nearly all requests. */
  return (request: Request, path: string, response: Response, visit: Visit): Promise<void> | undefined => {
    const event = nameEvent(path, response.status);
    return event === undefined ? undefined : write(event, request, response, visit);
  };
}

function nameEvent(path: string, status: number): string | undefined {
  if (path.startsWith(`${authBase}/`) && status !== 404 && status !== 405) {
    const name = path.slice(authBase.length);
    return telling.has(name) && status < 400 ? undefined : name;
  }
  if (path === apiBase + contract.receiveStripeEvent.path && status === 400) return 'forged event';
  // Not the whole path: an e-mail may stand in it.
  if (status === 403 || status === 429)
    return `refused ${path.split('/').slice(0, 3).join('/').slice(0, 60)}`;
  return undefined;
}

/** Whose account it is that somebody has just come into; the answer's body is JSON there. */
async function readPerson(event: string, response: Response): Promise<string | undefined> {
  if (!response.ok || !/^\/sign-(in|up)\/email$/.test(event)) return undefined;
  const { user }: { user?: { id?: string } } = await response.clone().json();
  return user?.id;
}
