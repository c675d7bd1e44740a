import { fileURLToPath } from 'node:url';
import type { ApiDocument } from './document.ts';
import { injectedHeader, injectedScript } from './hostile.ts';
import { type ReceivedResponse, readPathname, type SentRequest } from './raw-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Internal details that must not leak: stack traces, SQL, file paths. */
const leaks = [
  /\bat [^\n]{0,200}\.(?:[cm]?[jt]sx?):\d+/,
  /\n\s+at /,
  /\b(?:select|insert into|update|delete from) "/i,
  /SQLITE_|\bkysely\b|node_modules|\bnode:internal|\bpg_catalog\b/i,
  /(?:syntax error at or near|violates \w+ constraint|no such (?:table|column))/i,
  /(?:TypeError|RangeError|SyntaxError|ReferenceError):/,
  /(?:^|[\s"'(:])\/(?:home|root|usr|work|tmp|var|opt|Users)\//,
  /[\s"'/](?:server|contract|web|sandbox)\/[\w/-]+\.tsx?\b/,
];

/** Returns a sentence about what is wrong with a response, or undefined. */
export function findViolation(
  document: ApiDocument,
  sent: SentRequest,
  response: ReceivedResponse,
): string | undefined {
  return checkAnyResponse(response) ?? checkShape(document, sent, response);
}

function checkAnyResponse({ status, headers, body }: ReceivedResponse): string | undefined {
  if (status >= 500 && !isOverloadResponse(status, headers, body)) return 'It is a server error.';
  const text = body.toString('utf8');
  const content = `${Object.values(headers).join('\n')}\n${text}`;
  const leak = leaks.find((pattern) => pattern.test(content));
  if (leak || content.includes(root))
    return `It leaks an internal detail: ${leak ?? 'the installation folder'}.`;
  if (injectedHeader in headers) return 'The request injected a header.';
  if (headers['content-type']?.startsWith('text/html') && text.includes(injectedScript))
    return 'The request injected a script.';
  return undefined;
}

/** The only server error that is allowed: 503 with Retry-After. */
function isOverloadResponse(status: number, headers: Record<string, string>, body: Buffer): boolean {
  return status === 503 && 'retry-after' in headers && body.includes('urn:problem:unavailable');
}

/** Any path may respond with these: URI too long, and misdirected request. No operation documents them. */
const commonStatuses = new Set([414, 421]);

/** Node rejects malformed requests itself, before the shop sees them. */
const isFromNode = ({ status, headers }: ReceivedResponse) =>
  !('x-request-id' in headers) && (status === 400 || status === 431);

function checkShape(document: ApiDocument, sent: SentRequest, response: ReceivedResponse) {
  const { method, headers: sentHeaders } = sent;
  const { status, headers } = response;
  if (isFromNode(response)) return response.body.length === 0 ? undefined : 'An error from Node has a body.';
  if (!('x-request-id' in headers)) return 'It has no request id.';
  if (headers['x-content-type-options'] !== 'nosniff') return 'It has no nosniff header.';
  if (method === 'HEAD') return response.body.length === 0 ? undefined : 'HEAD has a body.';
  if (status === 304) return 'if-none-match' in sentHeaders ? undefined : 'It is 304 without If-None-Match.';
  const pathname = readPathname(sent);
  const operation = !commonStatuses.has(status) && document.find(method, pathname);
  if (operation) return checkCall(document, operation, response);
  if (pathname.startsWith('/api/auth/')) return checkIdentity(response);
  if (pathname.startsWith('/api/') && status >= 400) return checkProblem(document, response);
  return undefined;
}

function checkCall(
  document: ApiDocument,
  operation: NonNullable<ReturnType<ApiDocument['find']>>,
  response: ReceivedResponse,
) {
  const documented = operation.responses[response.status]?.content;
  if (!documented) return `${operation.operationId} does not document the status ${response.status}.`;
  const type = response.headers['content-type'] ?? 'nothing';
  if (!(type in documented))
    return `${operation.operationId} does not document ${type} for ${response.status}.`;
  if (type.startsWith('text/csv')) return undefined;
  return checkJson(response, (value) =>
    document.validateResponse(operation, `${response.status}`, type, value),
  );
}

function checkProblem(document: ApiDocument, response: ReceivedResponse) {
  if (response.headers['content-type'] !== 'application/problem+json') return 'It is not problem+json.';
  return checkJson(response, document.validateProblem);
}

/** Better Auth's errors have a message, which the forms show, and usually a code. */
function checkIdentity(response: ReceivedResponse) {
  if (response.status < 400) return undefined;
  return checkJson(response, (value) =>
    typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
      ? undefined
      : 'It is not a Better Auth error.',
  );
}

function checkJson(
  { body }: ReceivedResponse,
  validate: (value: unknown) => string | undefined,
): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return 'It is not JSON.';
  }
  const error = validate(value);
  return error && `It violates the schema: ${error}.`;
}
