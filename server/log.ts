import pino, { type DestinationStream, type Logger } from 'pino';

/** JSON lines, on stderr: what went wrong, and what happened to money. No personal data, no secrets. */
export function openLog(to: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describe, cause: describe },
    },
    to,
  );
}

/** An error whole, but for what PostgreSQL quotes in it of the row that it was about. */
function describe(error: Error): unknown {
  const { detail: _, where: __, ...rest } = pino.stdSerializers.err(error);
  return rest;
}
