import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load, LoadResult } from './load.ts';

/** Starts the load generator; `run` measures one load. Throws where a server answers wrongly. */
export function openGenerator() {
  const child = fork(join(import.meta.dirname, 'load.ts'));
  return {
    async run(load: Load): Promise<LoadResult> {
      const answered = once(child, 'message');
      child.send(load);
      const [measured]: LoadResult[] = await answered;
      if (!measured?.responses || measured.failed > 0)
        throw new Error(`Answered wrongly: ${JSON.stringify(measured)}`);
      return measured;
    },
    [Symbol.dispose]: () => child.kill(),
  };
}

/** A request as it goes over the wire, with the few headers that everybody sends. */
export function buildRequest(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: `localhost:${port}`,
    'user-agent': 'bench',
    accept: '*/*',
    ...headers,
    ...(json ? { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(json)}` } : {}),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${json ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
}
