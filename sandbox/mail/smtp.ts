import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Inbox } from './inbox.ts';

const maxMessageBytes = 1024 * 1024;
const user = 'shop';

export type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

/** An SMTP server on a free port of the loopback interface. Only the holder of its URL can send. */
export async function startSmtpServer(inbox: Inbox, onError: (error: unknown) => void) {
  const { SMTPServer } = await import('smtp-server');
  const secret = randomBytes(16).toString('hex');
  const server = new SMTPServer({
    logger: false,
    size: maxMessageBytes,
    maxClients: 20,
    closeTimeout: 1000,
    // No TLS is needed: the messages do not leave the machine.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      if (username === user && password === secret) return done(null, { user });
      done(Object.assign(new Error('Wrong password'), { responseCode: 535 }));
    },
    onData(stream, { envelope }, done) {
      void Array.fromAsync<Buffer>(stream)
        .then(async (chunks) => {
          if (stream.sizeExceeded)
            return done(Object.assign(new Error('The message is too large'), { responseCode: 552 }));
          const recipients = envelope.rcptTo.map(({ address }) => address);
          await inbox.add(recipients, Buffer.concat(chunks).toString());
          done(null, 'Delivered to the inbox');
        })
        .catch((error: unknown) => {
          onError(error);
          done(Object.assign(new Error('Try again later'), { responseCode: 451 }));
        });
    },
  });
  server.on('error', onError);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  server.server.unref();
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `smtp://${user}:${secret}@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
