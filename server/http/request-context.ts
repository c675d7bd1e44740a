import type { Selectable } from 'kysely';
import type { ShopError } from '../../contract/errors.ts';
import type { AdminStep } from '../../contract/pages.ts';
import type { Schema } from '../database/schema.ts';

export type SessionUser = Pick<
  Selectable<Schema['user']>,
  'id' | 'email' | 'emailVerified' | 'name' | 'address' | 'phone' | 'education' | 'linkedIn'
> & {
  /** Undefined for an admin in a session that must pass a second factor first: see `adminStep`. */
  role: 'admin' | undefined;
  /** The step that an admin must complete to get their rights, if the shop requires a second factor. */
  adminStep: AdminStep | undefined;
  /** Two-factor sign-in is on. */
  twoFactorOn: boolean;
  /** The session has passed a second factor. */
  passedSecondFactor: boolean;
  session: string;
  /** The session's token, without its signature. */
  token: string;
};

export type RequestContext = {
  requestId: string;
  url: URL;
  socketAddress: string;
  /** The client's network address: the socket's, or the one that a trusted proxy reports. */
  address: string;
  /** The request carries no credentials: neither a cookie nor an `Authorization` header. */
  anonymous: boolean;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Looks up the signed-in user, once per request unless `again` is set. */
  findViewer: (options?: { again: boolean }) => Promise<SessionUser | undefined>;
};
export type Env = { Bindings: RequestContext };

export type App = {
  fetch: (request: Request, address?: string) => Promise<Response>;
  /** The response to a request that is rejected before it reaches the app, for example under overload. */
  reject: (request: Request, error: ShopError) => Response;
};

/**
 * `call` names what a request is for. It comes from a fixed set, so that no client can add metric series. `route` is the
 * pattern of the path (`/api/products/{id}`), if there is one.
 */
export type RouteName = { call: string; route: string | undefined };
