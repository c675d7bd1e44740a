import { once } from 'node:events';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { onTestFinished } from 'vitest';

export type ReceivedMail = { to: string[]; raw: string; secure: boolean; user: string | undefined };

/** How the server treats one command. `hang` never responds, `drop` closes the connection. */
type Behaviour = 'accept' | 'hang' | 'drop' | { code: number; message: string };

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/**
 * A real SMTP server on a free port, with a password. It requires STARTTLS, with a self-signed certificate, unless
 * `plain`.
 */
export async function startMailServer({ port = 0, plain = false } = {}) {
  const received: ReceivedMail[] = [];
  const behaviour = {
    mailFrom: 'accept' as Behaviour,
    /** The behaviour for each recipient. */
    rcptTo: new Map<string, Behaviour>(),
    data: 'accept' as Behaviour,
    /** Called with each message after it has been received and before it is accepted. */
    onMessage: async (_: ReceivedMail): Promise<void> => undefined,
    /** Called with each message after it has been accepted. */
    onAccepted: (_: ReceivedMail): void => undefined,
  };
  /** The users of all attempts to sign in. */
  const logins: string[] = [];
  const accounts = new Map([['shop', 'pass word']]);

  function apply(how: Behaviour, session: SMTPServerSession, respond: (error?: Error) => void): void {
    if (how === 'drop') dropConnection(session);
    else if (how === 'accept') respond();
    else if (how !== 'hang') respond(Object.assign(new Error(how.message), { responseCode: how.code }));
  }

  const server = new SMTPServer({
    logger: false,
    ...(plain ? { disabledCommands: ['STARTTLS'], allowInsecureAuth: true } : {}),
    onAuth({ username = '', password }, _, done) {
      logins.push(username);
      if (accounts.get(username) === password) return done(null, { user: username });
      done(Object.assign(new Error('Wrong password'), { responseCode: 535 }));
    },
    onMailFrom: (_, session, done) => apply(behaviour.mailFrom, session, done),
    onRcptTo: ({ address }, session, done) => apply(behaviour.rcptTo.get(address) ?? 'accept', session, done),
    onData(stream, session, done) {
      if (behaviour.data === 'drop') {
        stream.once('data', () => dropConnection(session));
        return;
      }
      const reading = readAll(stream).catch(() => undefined);
      void reading.then(async (raw) => {
        // The client has disconnected.
        if (raw === undefined) return;
        const message: ReceivedMail = {
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw,
          secure: session.secure,
          user: toText(session.user),
        };
        await behaviour.onMessage(message);
        apply(behaviour.data, session, (error) => {
          if (!error) received.push(message);
          done(error);
          if (!error) behaviour.onAccepted(message);
        });
      });
    },
  });
  // Some tests make clients disconnect.
  server.on('error', () => undefined);

  function dropConnection({ id }: SMTPServerSession): void {
    for (const connection of server.connections) if (connection.id === id) connection.close();
  }

  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const usedPort = typeof address === 'object' && address ? address.port : 0;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return {
    received,
    behaviour,
    accounts,
    port: usedPort,
    countConnections: () => server.connections.size,
    logins,
    /** The URL of the server, with the right password. */
    url: `smtp://shop:pass%20word@127.0.0.1:${usedPort}`,
    close,
  };
}

const toText = (value: unknown) => (typeof value === 'string' ? value : undefined);

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString();
}
