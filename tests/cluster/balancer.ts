import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

type Backend = { port: number; ready: boolean; failedChecks: number; agent: Agent };

/** The pause between two checks of a process. */
const checkIntervalMs = 100;

/**
 * A process gets no more requests after two failures in a row. One failure is allowed, because all checks time out together if
 * this process pauses.
 */
const failedChecksAllowed = 1;

/** Header with which a test sends a request to one process, by index. */
export const processHeader = 'x-to-process';

/**
 * A minimal round-robin load balancer without sticky sessions. It polls `/readyz` of each process and sends requests to
 * those that are ready or, if none is, to all, like AWS load balancers and Envoy. It keeps connections open and never
 * retries: if a process does not respond, neither does the balancer.
 */
export async function startBalancer(
  port: number,
  ports: readonly number[],
  onResponse: (response: IncomingMessage, path: string) => void = () => undefined,
) {
  const backends: Backend[] = ports.map((each) => ({
    port: each,
    ready: false,
    failedChecks: 0,
    agent: new Agent({ keepAlive: true }),
  }));
  let next = 0;
  let closed = false;

  function chooseBackend(index: string | undefined): Backend | undefined {
    if (index !== undefined) return backends[Number(index)];
    const ready = backends.filter((backend) => backend.ready);
    const candidates = ready.length > 0 ? ready : backends;
    next += 1;
    return candidates[next % candidates.length];
  }

  function forwardRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { connection, [processHeader]: index, ...headers } = incoming.headers;
    const backend = chooseBackend(index?.toString());
    if (!backend) return void outgoing.destroy();
    const forwardedFor = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress]
      .flat()
      .join(', ');
    const outgoingRequest = request({
      port: backend.port,
      host: '127.0.0.1',
      agent: backend.agent,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, 'x-forwarded-for': forwardedFor },
    });
    outgoingRequest.on('response', (response) => {
      onResponse(response, outgoingRequest.path);
      const { connection: _, 'keep-alive': keepAlive, ...forwarded } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, forwarded);
      response.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    outgoingRequest.on('error', () => outgoing.destroy());
    incoming.on('error', () => outgoingRequest.destroy()).pipe(outgoingRequest);
  }

  /** Waits for each response or its timeout before the next request. */
  async function pollReadiness(backend: Backend): Promise<void> {
    while (!closed) {
      const passed = await isReady(backend.port);
      backend.failedChecks = passed ? 0 : backend.failedChecks + 1;
      backend.ready = passed || (backend.ready && backend.failedChecks <= failedChecksAllowed);
      await setTimeout(checkIntervalMs);
    }
  }

  const server = createServer(forwardRequest).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const polling = backends.map(pollReadiness);

  return {
    /** Ports of the processes that are ready. */
    ready: () => backends.filter((backend) => backend.ready).map((backend) => backend.port),
    async close(): Promise<void> {
      closed = true;
      server.close();
      server.closeAllConnections();
      for (const { agent } of backends) agent.destroy();
      await Promise.all(polling);
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
}
