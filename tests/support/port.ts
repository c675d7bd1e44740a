import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Opens a server on a free port of 127.0.0.1, which it gives. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server without a port.');
  return address.port;
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
