import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export type Sent = { method: string; path: string; headers: Record<string, string>; body?: Buffer };
export type Answer = { status: number; headers: Record<string, string>; body: Buffer };

/** Whoever has not answered after so many milliseconds is hung up. */
const patience = 15_000;

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** The path that a request means to the shop, which reads it as a browser would; '' where it is none. */
export const pathOf = ({ path }: Sent): string => URL.parse(path, 'http://shop')?.pathname ?? '';

/** Requests over the network, with paths and headers as they are: `fetch` would set them right. */
export function openWire(origin: string) {
  const { port } = new URL(origin);
  const agent = new Agent({ keepAlive: true });

  function send({ method, path, headers, body }: Sent): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const to = { host: '127.0.0.1', port, agent, method, path, timeout: patience };
      const length = body ? { 'content-length': `${body.length}` } : {};
      const asking = request({ ...to, headers: { host: new URL(origin).host, ...headers, ...length } });
      asking.once('timeout', () => asking.destroy(new Error(`no answer in ${patience} ms`)));
      asking.once('error', (error) => (isOverlong(path, headers) ? resolve(hungUp) : reject(error)));
      asking.once('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const said = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(said),
            body: decode(Buffer.concat(chunks), incoming.headers['content-encoding']),
          });
        });
      });
      asking.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

/** Node reads 16 KB of path and headers; then it says 431 and hangs up, which may come before what it says. */
const hungUp: Answer = { status: 431, headers: {}, body: Buffer.alloc(0) };
const isOverlong = (path: string, headers: Record<string, string>) =>
  path.length + JSON.stringify(headers).length > 15_000;

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  const decoder = encoding === undefined ? undefined : decoders[encoding];
  return decoder && bytes.length > 0 ? decoder(bytes) : bytes;
}
