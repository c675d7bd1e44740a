import { setImmediate } from 'node:timers/promises';

/**
 * A file to save. `chunks` are produced only as fast as the client receives them; if it disconnects, no more are. Between two
 * chunks, other requests have their turn: SQLite reads each batch at once.
 */
export function createDownload(
  fileName: string,
  contentType: string,
  chunks: AsyncGenerator<string>,
): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await setImmediate();
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
  return new Response(body, {
    headers: {
      'content-type': contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      vary: 'Cookie, Authorization',
    },
  });
}
