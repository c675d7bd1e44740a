import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

type Backend = { port: number; ready: boolean; sent: number; agent: Agent };

const everyMs = 100;

/** The header in which a test names the process that a request is for: 0 is the first. */
export const toProcess = 'x-to-process';

/**
 * A minimal round-robin load balancer without sticky sessions. It requests `/readyz` from each process ten times a
 * second, sends each request to the next process that is ready, keeps its connections open, and never sends a request
 * twice: if a process does not answer, neither does the balancer. If no process is ready, all of them get requests, as
 * behind AWS load balancers and Envoy.
 */
export async function openBalancer(port: number, ports: readonly number[]) {
  const backends: Backend[] = ports.map((each) => ({
    port: each,
    ready: false,
    sent: 0,
    agent: new Agent({ keepAlive: true }),
  }));
  let turn = 0;
  let closed = false;

  function choose(wanted: string | undefined): Backend | undefined {
    if (wanted !== undefined) return backends[Number(wanted)];
    const ready = backends.filter((backend) => backend.ready);
    const able = ready.length > 0 ? ready : backends;
    turn += 1;
    return able[turn % able.length];
  }

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { connection, [toProcess]: wanted, ...headers } = incoming.headers;
    const backend = choose(wanted?.toString());
    if (!backend) return void outgoing.destroy();
    backend.sent += 1;
    const from = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].flat().join(', ');
    const sent = request({
      port: backend.port,
      host: '127.0.0.1',
      agent: backend.agent,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, 'x-forwarded-for': from },
    });
    sent.on('response', (answer) => {
      const { connection: own, 'keep-alive': keepAlive, ...answered } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, answered);
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.on('error', () => sent.destroy()).pipe(sent);
  }

  /** Waits for each answer or its timeout before the next request. */
  async function watch(backend: Backend): Promise<void> {
    while (!closed) {
      backend.ready = await isReady(backend.port);
      await setTimeout(everyMs);
    }
  }

  const server = createServer(pass).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const watching = backends.map(watch);

  return {
    /** The ports of the processes that get requests. */
    ready: () => backends.filter((backend) => backend.ready).map((backend) => backend.port),
    /** How many requests each process has got so far. */
    sent: () => backends.map(({ sent }) => sent),
    async close(): Promise<void> {
      closed = true;
      server.close();
      server.closeAllConnections();
      for (const { agent } of backends) agent.destroy();
      await Promise.all(watching);
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  const asked = fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) });
  return asked.then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
}
