import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export type SentRequest = { method: string; path: string; headers: Record<string, string>; body?: Buffer };
export type ReceivedResponse = { status: number; headers: Record<string, string>; body: Buffer };

const timeoutMs = 15_000;

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** The request's path as the shop parses it; '' if it is invalid. */
export const readPathname = ({ path }: SentRequest): string => URL.parse(path, 'http://shop')?.pathname ?? '';

/** An HTTP client that sends paths and headers unchanged; `fetch` would normalize them. */
export function createRawClient(origin: string) {
  const { port } = new URL(origin);
  const agent = new Agent({ keepAlive: true });

  function send({ method, path, headers, body }: SentRequest): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const target = { host: '127.0.0.1', port, agent, method, path, timeout: timeoutMs };
      const length = body ? { 'content-length': `${body.length}` } : {};
      const outgoing = request({ ...target, headers: { host: new URL(origin).host, ...headers, ...length } });
      outgoing.once('timeout', () => outgoing.destroy(new Error(`no response in ${timeoutMs} ms`)));
      outgoing.once('error', (error) =>
        isOverlong(path, headers) ? resolve(connectionClosed) : reject(error),
      );
      outgoing.once('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const received = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(received),
            body: decode(Buffer.concat(chunks), incoming.headers['content-encoding']),
          });
        });
      });
      outgoing.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

/** Above 16 KB of path and headers, Node sends 431 and closes the connection, possibly before the client can read it. */
const connectionClosed: ReceivedResponse = { status: 431, headers: {}, body: Buffer.alloc(0) };
const isOverlong = (path: string, headers: Record<string, string>) =>
  path.length + JSON.stringify(headers).length > 15_000;

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  const decoder = encoding === undefined ? undefined : decoders[encoding];
  return decoder && bytes.length > 0 ? decoder(bytes) : bytes;
}
