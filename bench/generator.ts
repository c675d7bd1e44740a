import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load, LoadResult } from './load.ts';

/** Starts the load generator. `run` measures one load and throws if a response has a status of 400 or more. */
export function openGenerator() {
  const child = fork(join(import.meta.dirname, 'load.ts'));
  return {
    async run(load: Load): Promise<LoadResult> {
      const message = once(child, 'message');
      child.send(load);
      const [result]: LoadResult[] = await message;
      if (!result?.responses || result.failed > 0)
        throw new Error(`The load failed: ${JSON.stringify(result)}`);
      return result;
    },
    [Symbol.dispose]: () => child.kill(),
  };
}

/** A raw HTTP request with the usual minimal headers. */
export function buildRequest(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const allHeaders = {
    host: `localhost:${port}`,
    'user-agent': 'bench',
    accept: '*/*',
    ...headers,
    ...(json ? { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(json)}` } : {}),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${json ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
}
