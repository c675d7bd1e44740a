import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Opens a TCP connection to a listening shop, to send what no HTTP client would. On Linux, `localAddress` can be any address
 * that starts with 127.
 */
export async function openRawConnection(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let received = '';
  // A reset ends the connection like a close.
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  await once(socket, 'connect');
  return { socket, closed, write: (text: string) => socket.write(text, 'latin1') };
}

/** Sends text and returns all that the shop sends until it closes the connection. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const { closed, write } = await openRawConnection(port);
  write(text);
  return closed;
}

/** The status of each response in the data received over a connection. */
export const parseStatuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
