import pino, { type DestinationStream, type Logger } from 'pino';

/** Pino's numbers of its levels. */
const [warn, error] = [40, 50];

/** Somebody who counts what goes wrong: the log's sentence, and the request in which it did. */
type Hear = (what: string, requestId: string | null) => void;

const hearers = new WeakMap<Logger, Hear>();

/** From now on `hear` hears of each error of this log, and of each warning about a request, which was answered 5xx. */
export function subscribeToErrors(log: Logger, hear: Hear): void {
  hearers.set(log, hear);
}

/** JSON lines, on stderr: what went wrong, and what happened to money. No personal data, no secrets. */
export function openLog(to: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describe, cause: describe },
      hooks: {
        logMethod(given, method, level) {
          method.apply(this, given);
          if (level >= warn) tell(this, given, level);
        },
      },
    },
    to,
  );
}

function tell(log: Logger, given: unknown[], level: number): void {
  const [about, what = about] = given;
  const requestId =
    typeof about === 'object' && about !== null && 'requestId' in about ? String(about.requestId) : null;
  if (typeof what === 'string' && (level >= error || requestId !== null)) hearers.get(log)?.(what, requestId);
}

/** What PostgreSQL quotes in an error of the row that it was about. */
const quoting = new Set(['detail', 'where']);

/** Whatever was thrown, whole, but for those, in errors within it, too. */
function describe(thrown: unknown): unknown {
  return withoutRows(thrown instanceof Error ? pino.stdSerializers.err(thrown) : thrown, 0);
}

function withoutRows(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  // Nothing that is thrown on purpose is as deep; what holds itself is without end.
  if (depth > 6) return '…';
  if (Array.isArray(value)) return value.map((each) => withoutRows(each, depth + 1));
  const kept = Object.entries(value).filter(([name]) => !quoting.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutRows(inner, depth + 1)]));
}
