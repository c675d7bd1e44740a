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

/** Hashes a password to a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, cost = defaultCost): Promise<string> {
  const nonce = randomBytes(16);
  const hash = await derive('argon2id', { ...cost, message: password, nonce, tagLength: 32 });
  const { memory: m, passes: t, parallelism: p } = cost;
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${toUnpaddedBase64(nonce)}$${toUnpaddedBase64(hash)}`;
}

/** Whether the password matches a hash, using the cost stored in the hash. */
export async function verifyPassword({
  hash,
  password,
}: {
  hash: string;
  password: string;
}): Promise<boolean> {
  const [, m, t, p, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash) ?? [];
  if (m === undefined) {
    // An older account, hashed by Better Auth with scrypt.
    const scrypt = await import('better-auth/crypto');
    return scrypt.verifyPassword({ hash, password });
  }
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive('argon2id', {
    ...{ memory: Number(m), passes: Number(t), parallelism: Number(p), tagLength: expected.length },
    ...{ message: password, nonce: Buffer.from(salt, 'base64') },
  });
  return timingSafeEqual(actual, expected);
}

const toUnpaddedBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
