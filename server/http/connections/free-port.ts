import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import { codeOf } from '../../database/errors.ts';

/** The discard service (RFC 863): nothing listens there, so the connection is refused. */
const unusedPort = 9;
const checkTimeoutMs = 1000;

/**
 * Throws `bad_setting` with one sentence if the shop cannot listen on its port, so that the start fails before it creates
 * anything. Binds the port for an outgoing connection instead of listening, which would lose requests that arrive meanwhile.
 */
export async function checkPort({ port, host }: Config): Promise<void> {
  try {
    const { address } = await lookup(host);
    const socket = connect({
      host: address,
      port: port === unusedPort ? unusedPort + 1 : unusedPort,
      localAddress: address,
      localPort: port,
    });
    socket.setTimeout(checkTimeoutMs, () => socket.destroy());
    await once(socket, 'close').finally(() => socket.destroy());
  } catch (cause) {
    // Other errors concern the outgoing connection, or `listen` reports them, too.
    if (['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(codeOf(cause)))
      throw toListenError({ port, host }, cause);
  }
}

/** Describes an error of `listen` in one sentence. */
export function toListenError({ port, host }: Pick<Config, 'port' | 'host'>, cause: unknown): ShopError {
  const sentence = describe(port, host, codeOf(cause));
  return new ShopError('bad_setting', sentence, { cause });
}

function describe(port: number, host: string, code: string): string {
  if (code === 'EADDRINUSE')
    return `PORT is ${port}, but another program already listens on it at ${host}: stop it, or set another PORT.`;
  if (code === 'EACCES')
    return `PORT is ${port}, but this user must not listen on it: set a PORT above 1023.`;
  return `HOST is ${JSON.stringify(host)}, but this machine cannot listen on it (${code}).`;
}
