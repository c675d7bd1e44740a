import { fileURLToPath } from 'node:url';
import type { ApiDocument } from './document.ts';
import { injected, script } from './hostile.ts';
import { type Answer, pathOf, type Sent } from './wire.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How the inside of the shop would look from outside: stacks, statements, paths of this machine. */
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

/** What is wrong with an answer to this request: undefined, or a sentence. */
export function judge(document: ApiDocument, sent: Sent, answer: Answer): string | undefined {
  return judgeAnything(answer) ?? judgeShape(document, sent, answer);
}

function judgeAnything({ status, headers, body }: Answer): string | undefined {
  if (status >= 500 && !saysWhen(status, headers, body)) return 'It is an error of the shop.';
  const text = body.toString('utf8');
  const whole = `${Object.values(headers).join('\n')}\n${text}`;
  const leak = leaks.find((pattern) => pattern.test(whole));
  if (leak || whole.includes(root))
    return `It tells of the inside: ${leak ?? 'where the shop is installed'}.`;
  if (injected in headers) return 'It has a header that the request has put there.';
  if (headers['content-type']?.startsWith('text/html') && text.includes(script))
    return 'It has a script that the request has put there.';
  return undefined;
}

/** The one server error that may be: busy, and it says so. */
function saysWhen(status: number, headers: Record<string, string>, body: Buffer): boolean {
  return status === 503 && 'retry-after' in headers && body.includes('urn:problem:unavailable');
}

/** What any address may answer, and so no call says for itself: too long, and not at this host. */
const everywhere = new Set([414, 421]);

/** Node's own answers to what is no request, before the shop sees it. */
const isNodes = ({ status, headers }: Answer) =>
  !('x-request-id' in headers) && (status === 400 || status === 431);

function judgeShape(document: ApiDocument, sent: Sent, answer: Answer) {
  const { method, headers: asked } = sent;
  const { status, headers } = answer;
  if (isNodes(answer)) return answer.body.length === 0 ? undefined : 'Node answers with a body.';
  if (!('x-request-id' in headers)) return 'It has no request id.';
  if (headers['x-content-type-options'] !== 'nosniff') return 'It may be sniffed.';
  if (method === 'HEAD') return answer.body.length === 0 ? undefined : 'HEAD has a body.';
  if (status === 304) return 'if-none-match' in asked ? undefined : 'Nobody said that they had it.';
  const pathname = pathOf(sent);
  const isOurs = !everywhere.has(status) && document.find(method, pathname);
  if (isOurs) return judgeCall(document, isOurs, answer);
  if (pathname.startsWith('/api/auth/')) return judgeIdentity(answer);
  if (pathname.startsWith('/api/') && status >= 400) return judgeProblem(document, answer);
  return undefined;
}

function judgeCall(
  document: ApiDocument,
  call: NonNullable<ReturnType<ApiDocument['find']>>,
  answer: Answer,
) {
  const told = call.responses[answer.status]?.content;
  if (!told) return `${call.operationId} does not say that it may answer ${answer.status}.`;
  const type = answer.headers['content-type'] ?? 'nothing';
  if (!(type in told)) return `${call.operationId} does not say that ${answer.status} may be ${type}.`;
  return judgeJson(answer, (value) => document.judgeAnswer(call, `${answer.status}`, type, value));
}

function judgeProblem(document: ApiDocument, answer: Answer) {
  if (answer.headers['content-type'] !== 'application/problem+json') return 'It is no problem+json.';
  return judgeJson(answer, document.judgeProblem);
}

/** Better Auth's: a message, which the forms show, and mostly a code. */
function judgeIdentity(answer: Answer) {
  if (answer.status < 400) return undefined;
  return judgeJson(answer, (value) =>
    typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
      ? undefined
      : 'It has not the shape of an identity error.',
  );
}

function judgeJson({ body }: Answer, breaches: (value: unknown) => string | undefined): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return 'It is no JSON.';
  }
  const found = breaches(value);
  return found && `It does not fit: ${found}.`;
}
