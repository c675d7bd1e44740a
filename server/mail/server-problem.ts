/** Why the mail server sends nothing. `finding` completes a sentence about the server; `advice` is what to do. */
export const serverProblems = {
  refused: {
    finding: 'refuses the connection',
    advice: 'Check the host and port in SMTP_URL, and that the mail server is running.',
  },
  unknown: {
    finding: 'cannot be found',
    advice: 'Check the host in SMTP_URL, and this machine’s DNS.',
  },
  silent: {
    finding: 'does not respond',
    advice: 'Check the host and port in SMTP_URL, and this machine’s network.',
  },
  insecure: {
    finding: 'does not offer a secure connection',
    advice:
      'Use smtps:// with port 465 or smtp:// with port 587, and the host name that the server’s certificate names.',
  },
  password: {
    finding: 'rejects the password',
    advice:
      'Check the user and password in SMTP_URL. Special characters must be URL-encoded, such as %40 for @.',
  },
  sender: {
    finding: 'rejects the sender',
    advice: 'Set MAIL_FROM to an address that the user of SMTP_URL may send from.',
  },
  busy: {
    finding: 'is temporarily unavailable',
    advice: 'Wait, or ask the provider of the mail server.',
  },
} as const;

export type ServerProblem = keyof typeof serverProblems;

/** Codes: https://nodemailer.com/errors */
export type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string };

/** The problem behind an error that is not about a recipient or a message. */
export function findServerProblem({ code, message, responseCode = 0 }: SmtpError): ServerProblem {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'password';
  if (responseCode >= 400 && responseCode < 500) return 'busy';
  if (code === 'EENVELOPE') return 'sender';
  if (code === 'EDNS') return 'unknown';
  if (message.includes('ECONNREFUSED')) return 'refused';
  // Other errors of the network are `ESOCKET`, too.
  const isConnectionLost = /\bconnect |ECONNRESET|EPIPE/.test(message);
  return (code === 'ETLS' || code === 'ESOCKET') && !isConnectionLost ? 'insecure' : 'silent';
}
