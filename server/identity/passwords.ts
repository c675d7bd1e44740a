import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Parameters of Argon2id; `memory` in KiB. */
export type PasswordCost = { memory: number; passes: number; parallelism: number };

/**
 * The parameters that OWASP ASVS 5.0 (appendix C) and RFC 9106 recommend. They take a third of the time and memory of
 * Better Auth's own scrypt, and are more expensive to attack.
 */
const defaultCost: PasswordCost = { memory: 12_288, passes: 3, parallelism: 1 };
const derive = promisify(argon2);

/** What is stored of a password, in the form of its family: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, cost = defaultCost): Promise<string> {
  const nonce = randomBytes(16);
  const hash = await derive('argon2id', { ...cost, message: password, nonce, tagLength: 32 });
  const { memory: m, passes: t, parallelism: p } = cost;
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
