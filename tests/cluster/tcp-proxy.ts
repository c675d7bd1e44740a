import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnFreePort } from '../support/port.ts';

/** Starts a TCP proxy on a free port that forwards to one port at a time, until the end of the test. */
export async function startTcpProxy(firstTarget: number) {
  let target = firstTarget;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(socket);
          other.destroy();
        });
      socket.pipe(other);
    }
  });
  const port = await listenOnFreePort(server);
  const close = () => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    close();
  });
  return {
    port,
    /** Forwards to another port, and closes all connections. */
    switchTo(port: number): void {
      target = port;
      close();
    },
  };
}
