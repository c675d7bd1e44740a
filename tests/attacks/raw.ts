import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection to a shop that listens, for what no HTTP client would send. */
export async function openRawConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  // What was cut off in the middle of a word ends like what was closed.
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)));
  await once(socket, 'connect');
  return { socket, closed, write: (text: string) => socket.write(text, 'latin1') };
}

/** Sends this text, and gives all that the shop says until it closes the connection. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const { closed, write } = await openRawConnection(port);
  write(text);
  return closed;
}

/** The status of each answer in what a connection said; an answer begins right behind the last one's body. */
export const parseStatuses = (heard: string): number[] =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
