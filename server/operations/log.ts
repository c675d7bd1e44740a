import pino, { type DestinationStream, type Logger } from 'pino';

const [warn, error] = [40, 50];

type ErrorListener = (message: string, requestId: string | null) => void;
const listeners = new WeakMap<Logger, ErrorListener>();

/** Calls `listener` for each logged error, and for each warning with a request id, because the request's response is a 5xx. */
export function setErrorListener(log: Logger, listener: ErrorListener): void {
  listeners.set(log, listener);
}

/** JSON lines on stderr: errors, security events and payments. No personal data, no secrets. */
export function openLog(to: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: serializeError, cause: serializeError },
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= warn) notify(this, args, level);
        },
      },
    },
    to,
  );
}

function notify(log: Logger, args: unknown[], level: number): void {
  const [fields, message = fields] = args;
  const requestId =
    typeof fields === 'object' && fields !== null && 'requestId' in fields ? String(fields.requestId) : null;
  if (typeof message === 'string' && (level >= error || requestId !== null))
    listeners.get(log)?.(message, requestId);
}

/** Fields of PostgreSQL errors that quote the row. */
const rowFields = new Set(['detail', 'where']);

/** Serializes a thrown value without row data, including in nested errors. */
const serializeError = (thrown: unknown) =>
  removeRows(thrown instanceof Error ? pino.stdSerializers.err(thrown) : thrown, 0);

function removeRows(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  // Only a circular value is this deep.
  if (depth > 6) return '…';
  if (Array.isArray(value)) return value.map((item) => removeRows(item, depth + 1));
  const fields = Object.entries(value).filter(([name]) => !rowFields.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, removeRows(inner, depth + 1)]));
}
