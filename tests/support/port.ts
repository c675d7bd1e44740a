import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Makes a server listen on a free port of 127.0.0.1, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/** Each test worker has its own range of ports, and tries them in turn. */
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % 16;
let attempts = Math.floor(Math.random() * 900);

/**
 * Finds an unused port of 127.0.0.1 for a server that starts later, or stops and starts again. It is below the range from
 * which the system picks ports for outgoing connections, so it stays free.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    attempts += 1;
    const port = 15_000 + (attempts % 900) * 16 + worker;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
