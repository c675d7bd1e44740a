import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { ShopError } from './errors.ts';
import type { Kept } from './kept.ts';

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Opens the port. `direct` answers paths that are not the app's own (the stand-in for Google is a Node
 * server). Throws a sentence where the port cannot be had; the function that it gives stops taking requests
 * and waits for those that are under way.
 */
export async function listen(
  config: Config,
  app: App,
  kept: Kept,
  direct?: { prefix: string; listener: Listener },
): Promise<() => Promise<void>> {
  const answer = getRequestListener(
    (request, { incoming }) => app.fetch(request, incoming.socket.remoteAddress),
    { overrideGlobalObjects: true },
  );
  const server = createServer({ requestTimeout: 120_000, headersTimeout: 20_000 }, (incoming, outgoing) => {
    // While it stops, the last answer of a connection ends it; else it would be kept alive for seconds.
    outgoing.once('close', () => !server.listening && setImmediate(() => server.closeIdleConnections()));
    if (kept.send(incoming, outgoing)) return;
    if (direct && incoming.url?.startsWith(direct.prefix)) direct.listener(incoming, outgoing);
    else void answer(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new ShopError('bad_setting', refusal(config, cause.code ?? ''), { cause });
  });
  return () => stop(server);
}

function refusal({ port, host }: Config, code: string): string {
  if (code === 'EADDRINUSE')
    return `PORT is ${port}, but another program listens there on ${host}: stop it, or set another PORT.`;
  if (code === 'EACCES') return `PORT is ${port}, but this user may not listen there: set a PORT above 1023.`;
  return `HOST is ${JSON.stringify(host)}, but this machine cannot listen there (${code}).`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Who has not finished in ten seconds will not.
  const patience = setTimeout(() => server.closeAllConnections(), 10_000);
  await closed;
  clearTimeout(patience);
}
