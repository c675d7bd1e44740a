import type { IncomingMessage } from 'node:http';

const maxUncheckedChunks = 500;
const minMeanChunkBytes = 64;

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;

/**
 * Closes the connection if the body arrives in very many tiny chunks. Each chunk takes 100 bytes of memory until it is read, so
 * a body of single bytes takes 100 times its size. Clients send packets of hundreds of bytes.
 */
export function limitBodyChunks(incoming: IncomingMessage): void {
  let chunks = 0;
  let bytes = 0;
  const push = incoming.push.bind(incoming);
  // The parser calls this for each chunk, before anything reads the body.
  incoming.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array) {
      chunks += 1;
      bytes += chunk.length;
    }
    if (chunks <= maxUncheckedChunks || bytes >= chunks * minMeanChunkBytes) return push(chunk, encoding);
    incoming.socket.destroy();
    return false;
  };
}
