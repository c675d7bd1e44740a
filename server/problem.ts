import type { Logger } from 'pino';
import type { Problem } from '../contract/problem.ts';
import { isAway, isBroken, isConflict } from './database/trouble.ts';
import { errorTable, ShopError } from './errors.ts';

/**
 * Any error as the shop's own: what was not expected is logged whole and answered as `internal`. Where the fault is not
 * the visitor's, the message names the request: in every protocol and on every page it is what the person is shown.
 */
export function toShopError(error: unknown, log: Logger, requestId: string): ShopError {
  const known = judge(error, log, requestId);
  if (errorTable[known.code].status < 500) return known;
  const { code, message, retryAfter } = known;
  return new ShopError(code, withNumber(message, requestId), {
    cause: known,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** What a visitor can tell the shopkeeper, who finds it in the log. */
const withNumber = (message: string, requestId: string): string =>
  `${message} If it lasts, tell us this number: ${requestId}.`;

function judge(error: unknown, log: Logger, requestId: string): ShopError {
  if (error instanceof ShopError) {
    if (errorTable[error.code].status >= 500)
      log.warn({ requestId, code: error.code, cause: error.cause }, error.message);
    return error;
  }
  const broken = isBroken(error);
  if (broken || isAway(error)) {
    if (broken) log.error({ requestId, error }, 'the database cannot do its work: look at its disk');
    else log.warn({ requestId, error }, 'the database cannot be reached');
    return new ShopError(
      'unavailable',
      'The shop cannot reach its database at the moment. Try again shortly.',
      { retryAfter: 5 },
    );
  }
  // A transaction has been tried again before it comes to this; a statement of its own has not.
  if (isConflict(error)) {
    log.warn(
      { requestId, error },
      'two people were at the same thing at once, and one was asked to try again',
    );
    return new ShopError('unavailable', 'Somebody else was at the same thing just now. Try again.', {
      retryAfter: 1,
    });
  }
  log.error({ requestId, error }, 'a request failed by a fault of the shop');
  return new ShopError('internal', 'Something went wrong on our side.');
}

/** What was refused, as a program reads it (RFC 9457). */
export function toProblem(error: ShopError, requestId: string): Problem {
  const { status, title } = errorTable[error.code];
  return {
    type: `urn:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    requestId,
    ...(error.errors ? { errors: error.errors } : {}),
    ...(error.data ? { data: error.data } : {}),
  };
}

/** As `application/problem+json`. */
export function problemResponse(error: ShopError, requestId: string): Response {
  return new Response(JSON.stringify(toProblem(error, requestId)), {
    status: errorTable[error.code].status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headersOf(error),
    },
  });
}

/** The shape in which Better Auth answers errors, for what the shop refuses on its paths. */
export function identityError(error: ShopError): Response {
  return Response.json(
    { code: error.code.toUpperCase(), message: error.message },
    {
      status: errorTable[error.code].status,
      headers: { 'cache-control': 'no-store', ...headersOf(error) },
    },
  );
}

/** What a refusal says beside its body: when to come back, which methods an address takes. */
export function headersOf({ retryAfter, allow }: ShopError): Record<string, string> {
  return {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(allow ? { allow: allow.join(', ') } : {}),
  };
}
