import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrongSetting } from '../../contract/errors.ts';
import type { Config } from '../config/config.ts';
import { attachPath, codeOf, withErrorPath } from '../database/errors.ts';

const secretFile = ({ dataDir }: Config): string => join(dataDir, 'auth-secret');

/** The secret that signs sessions: AUTH_SECRET, or one generated at the first start and stored in DATA_DIR. */
export function authSecret(config: Config): string {
  return config.authSecret ?? readSecret(config) ?? generateSecret(config);
}

/** The stored secret; undefined if there is none yet. Throws `bad_setting` with one sentence if it is damaged. */
export function readSecret(config: Config): string | undefined {
  const file = secretFile(config);
  const secret = withErrorPath(file, () =>
    statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8').trim() : undefined,
  );
  // With an empty, truncated or zeroed secret, anybody could forge sessions.
  if (secret === undefined || /^[0-9a-f]{64}$/.test(secret)) return secret;
  throw wrongSetting(`${file} is damaged: delete it, which ends all sessions, or set AUTH_SECRET.`);
}

/** Writes a temporary file and links it, so that only one of two processes that start together creates the secret. */
function generateSecret(config: Config): string {
  const file = secretFile(config);
  const temporary = `${file}.${randomUUID()}`;
  const secret = randomBytes(32).toString('hex');
  try {
    writeFileSync(temporary, secret, { mode: 0o600, flush: true });
    linkSync(temporary, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw attachPath(error, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return readSecret(config) ?? secret;
}
