import { yieldToEventLoop } from '../../config/event-loop.ts';

/**
 * A response body that reads `chunks` only as fast as the client receives them, and stops if the client disconnects. SQLite reads
 * each batch synchronously, so other requests run between two chunks.
 */
export function streamText(chunks: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await yieldToEventLoop();
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
}

/** A file to save, streamed. */
export function createDownload(
  fileName: string,
  contentType: string,
  chunks: AsyncGenerator<string>,
): Response {
  return new Response(streamText(chunks), {
    headers: {
      'content-type': contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      vary: 'Cookie, Authorization',
    },
  });
}
