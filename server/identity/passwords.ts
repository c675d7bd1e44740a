import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Argon2id as OWASP ASVS 5.0 (appendix C) and RFC 9106 have it: 12 MiB, three times over. A third of the time and of
 * the memory of Better Auth's own scrypt, and harder to guess at.
 */
const costs = { memory: 12_288, passes: 3, parallelism: 1 };
const derive = promisify(argon2);

/** What is stored of a password, in the form of its family: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const hash = await derive('argon2id', { ...costs, message: password, nonce, tagLength: 32 });
  const { memory: m, passes: t, parallelism: p } = costs;
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${bare(nonce)}$${bare(hash)}`;
}

/** Whether this is the password, taken exactly as it is, by the costs that its hash was made with. */
export async function verifyPassword({
  hash,
  password,
}: {
  hash: string;
  password: string;
}): Promise<boolean> {
  const [, m, t, p, salt = '', kept = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash) ?? [];
  if (m === undefined) {
    // Made before this shop had a hash of its own.
    const older = await import('better-auth/crypto');
    return older.verifyPassword({ hash, password });
  }
  const wanted = Buffer.from(kept, 'base64');
  const found = await derive('argon2id', {
    ...{ memory: Number(m), passes: Number(t), parallelism: Number(p), tagLength: wanted.length },
    ...{ message: password, nonce: Buffer.from(salt, 'base64') },
  });
  return timingSafeEqual(found, wanted);
}

const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
