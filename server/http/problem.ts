import type { Logger } from 'pino';
import { errorTable, ShopError } from '../../contract/errors.ts';
import type { Problem } from '../../contract/problem.ts';
import {
  isBroken,
  isConflict,
  isReadOnlyServer,
  isUnavailable,
  toOperatorMessage,
} from '../database/errors.ts';

/**
 * Turns any error into a `ShopError`; an unexpected one is logged and becomes `internal`. If the fault is ours, the message
 * includes the request id, because every protocol and page shows the message.
 */
export function toShopError(error: unknown, log: Logger, requestId: string): ShopError {
  const known = classify(error, log, requestId);
  if (errorTable[known.code].status < 500) return known;
  const { code, message, retryAfter } = known;
  const detail = `${message} If this keeps happening, send us this request ID: ${requestId}.`;
  return new ShopError(code, detail, { cause: known, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

function classify(error: unknown, log: Logger, requestId: string): ShopError {
  if (error instanceof ShopError) {
    if (errorTable[error.code].status >= 500) {
      // The Health page counts logged warnings as errors. An unreachable provider has its own entry there, which a single timeout
      // must not cause.
      const level = error.code === 'provider_unreachable' ? 'info' : 'warn';
      log[level]({ requestId, code: error.code, cause: error.cause }, error.message);
    }
    return error;
  }
  const broken = isBroken(error);
  if (broken || isUnavailable(error)) {
    if (broken) log.error({ requestId, error }, 'the database failed: check its disk');
    // Health shows the message, which names the server.
    else if (isReadOnlyServer(error)) log.error({ requestId, error }, toOperatorMessage(error));
    else log.warn({ requestId, error }, 'the database cannot be reached');
    const message = 'The shop cannot reach its database at the moment. Try again shortly.';
    return new ShopError('unavailable', message, { retryAfter: 5 });
  }
  // The database module has already retried.
  if (isConflict(error)) {
    log.warn({ requestId, error }, 'a request failed because of conflicting writes');
    const message = 'Somebody else changed the same thing at the same time. Try again.';
    return new ShopError('unavailable', message, { retryAfter: 1 });
  }
  log.error({ requestId, error }, 'a request failed unexpectedly');
  return new ShopError('internal', 'Something went wrong on our side.');
}

export function toProblemDetails(error: ShopError, requestId: string): Problem {
  const { status, title } = errorTable[error.code];
  return {
    type: `urn:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    requestId,
    errors: error.errors,
    data: error.data,
  };
}

export function problemResponse(error: ShopError, requestId: string): Response {
  const body = toProblemDetails(error, requestId);
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...errorHeaders(error),
  };
  return Response.json(body, { status: body.status, headers });
}

/** The error in Better Auth's format, for its paths. The code of an invalid field names the field. */
export function identityErrorResponse(error: ShopError): Response {
  const field = error.errors?.[0]?.field;
  const code = (field === undefined ? error.code : `invalid_${field}`).toUpperCase();
  const body = { code, message: error.message };
  const headers = { 'cache-control': 'no-store', ...errorHeaders(error) };
  return Response.json(body, { status: errorTable[error.code].status, headers });
}

/** The headers of an error: when to retry, which methods are allowed. */
export function errorHeaders({ retryAfter, allow }: ShopError): Record<string, string> {
  return {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    ...(allow ? { allow: allow.join(', ') } : {}),
  };
}
