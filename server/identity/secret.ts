import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { ShopError } from '../errors.ts';

/** Where it is kept that is made where AUTH_SECRET is not set. */
export const secretFile = ({ dataDir }: Config): string => join(dataDir, 'auth-secret');

/** What sessions are signed with: AUTH_SECRET, or one that is made at the first start and kept in DATA_DIR. */
export function authSecret(config: Config): string {
  if (config.authSecret) return config.authSecret;
  const file = secretFile(config);
  const secret = read(file) ?? make(file);
  // An empty or cut one would sign sessions that anybody can forge.
  if (secret.length >= 32) return secret;
  throw new ShopError(
    'bad_setting',
    `${file} is damaged: delete it, which ends all sessions, or set AUTH_SECRET.`,
  );
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written whole under another name first; of two processes that start together one gives it its name. */
function make(file: string): string {
  const mine = `${file}.${randomUUID()}`;
  writeFileSync(mine, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  try {
    linkSync(mine, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(mine);
  }
  return readFileSync(file, 'utf8').trim();
}
