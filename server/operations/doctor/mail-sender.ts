import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import SmtpConnection from 'nodemailer/lib/smtp-connection';
import { describeServer, getAddress, type SmtpSettings } from '../../mail/transport.ts';
import { probeTimeoutMs } from './report.ts';

/**
 * Connects with TLS and the password, starts to send a message from the sender to itself, and disconnects before its body.
 * Throws if the server rejects any of this or takes too long.
 */
export async function checkSender({ url, from }: SmtpSettings): Promise<void> {
  const { auth, ...server } = describeServer(url);
  const connection = new SmtpConnection(server);
  try {
    const timeout = AbortSignal.timeout(probeTimeoutMs);
    const failed = new Promise<never>((_, reject) => {
      connection.on('error', reject);
      timeout.addEventListener('abort', () => reject(timeout.reason));
    });
    const senderAccepted = new Error('The sender is accepted.');
    const text = new Readable({ read: () => void text.destroy(senderAccepted) });
    const offer = async () => {
      await promisify<void>((done) => connection.connect((error) => done(error)))();
      if (auth) await promisify<void>((done) => connection.login(auth, (error) => done(error)))();
      const envelope = { from: getAddress(from), to: [getAddress(from)] };
      await promisify<void>((done) => connection.send(envelope, text, (error) => done(error)))();
    };
    await Promise.race([offer(), failed]).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.includes(senderAccepted.message))) throw error;
    });
  } finally {
    connection.close();
  }
}
