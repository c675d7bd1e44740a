/** Limits of a request to another server. */
export type OutgoingLimits = { timeoutMs: number; maxBytes: number };

/**
 * Fetches a whole response, body included. Throws after `timeoutMs`, above `maxBytes`, and by default for a redirect, so that
 * no secret is sent to a URL that the server names.
 */
export async function fetchWithin(
  { timeoutMs, maxBytes }: OutgoingLimits,
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  const response = limitBody(await fetch(url, { redirect: 'error', ...init, signal }), maxBytes);
  const body = await response.arrayBuffer();
  // A response of some statuses may not have a body, not even an empty one.
  return new Response(body.byteLength > 0 ? body : null, response);
}

/** An endless response would otherwise fill the memory before its timeout. */
export function limitBody(response: Response, maxBytes: number): Response {
  let size = 0;
  const limited = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size > maxBytes) controller.error(new Error(`The response has more than ${maxBytes} bytes.`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(limited ?? null, response);
}
