import pino, { type DestinationStream, type Logger } from 'pino';

/** JSON lines, on stderr: what went wrong, and what happened to money. No personal data, no secrets. */
export function openLog(to: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
    },
    to,
  );
}
