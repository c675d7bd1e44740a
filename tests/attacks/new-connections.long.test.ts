import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { builtServerPath, runProgram } from '../support/server.ts';
import { openRawConnection, parseStatuses } from './raw.ts';

const attackers = 100;

const kinds = {
  'lists with any filter': (at: number) => `GET /api/products?maxPrice=${1000 + at} HTTP/1.1\r\n`,
  'sign-ins without a body': () =>
    'POST /api/auth/sign-in/email HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 0\r\n',
};

test.each(Object.entries(kinds))(
  'a hundred new connections of one address, kept busy with %s, let another address in',
  async (_, writeRequestLine) => {
    const DATA_DIR = makeFolder();
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
    const port = await findFreePort();
    const server = runProgram(process.execPath, [builtServerPath], { DATA_DIR, PORT: `${port}` });
    await server.firstLine();
    let [sent, answered] = [0, 0];
    const next = () => `${writeRequestLine(sent++)}Host: localhost:${port}\r\n\r\n`;
    const attack = async () => {
      const { socket, write } = await openRawConnection(port, '127.0.0.5');
      onTestFinished(() => void socket.destroy());
      socket.on('data', (text: string) => {
        const responses = parseStatuses(text).length;
        answered += responses;
        if (responses > 0) write(next());
      });
      write(next());
    };
    const attacks = Array.from({ length: attackers }, attack);
    const visitor = await openRawConnection(port, '127.0.0.6');
    visitor.write(`GET /api/basket HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
    expect(parseStatuses(await visitor.closed)).toEqual([401]);
    // The visitor waits until the earlier connections are open, but not for a round of responses each time that one of them opens.
    expect(answered).toBeLessThan(5 * attackers);
    await Promise.all(attacks);
  },
);
