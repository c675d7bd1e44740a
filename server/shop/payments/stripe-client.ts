import type Stripe from 'stripe';
import type { Services } from '../../config/services.ts';

/** Ten times a page of 100 intents. */
const maxResponseBytes = 10_000_000;

/** Stripe's official client. It only knows Stripe's own host, so the configured `apiUrl` replaces it in each request. */
export async function createStripeClient(
  { secretKey, apiUrl }: Pick<Services['stripe'], 'secretKey' | 'apiUrl'>,
  send: (request: Request) => Promise<Response>,
  options: { maxNetworkRetries: number; timeout: number },
): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe');
  return new StripeClient(secretKey, {
    ...options,
    telemetry: false,
    httpClient: StripeClient.createFetchHttpClient(
      async (input: string | URL | Request, init?: RequestInit) => {
        const url = String(input instanceof Request ? input.url : input);
        // Don't send our key to an address that the provider redirects to.
        const request = new Request(url.replace('https://api.stripe.com', apiUrl), {
          ...init,
          redirect: 'error',
        });
        return limitBody(await send(request));
      },
    ),
  });
}

/** An endless response would otherwise fill the memory before the timeout. */
function limitBody(response: Response): Response {
  let size = 0;
  const limited = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size > maxResponseBytes)
          controller.error(new Error('The response of the provider is too large.'));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(limited ?? null, response);
}
