import { ShopError } from '../errors.ts';

/** The memory that a chunk takes besides its bytes: a client may send a body byte by byte. */
const chunkOverheadBytes = 256;

type Arrival = { bytes: number; startedAt: number; evict: (error: ShopError) => void };

/**
 * Bounds the memory of all request bodies together, counting the bytes that have actually arrived. A slow body takes no
 * slot that another needs: when memory runs out, the arriving body with the largest bytes × time is evicted.
 */
export function createBodyBudget(maxBytes: number) {
  const arriving = new Set<Arrival>();
  let held = 0;

  function charge(arrival: Arrival, bytes: number): void {
    if (!arriving.has(arrival)) return;
    arrival.bytes += bytes;
    held += bytes;
    while (held > maxBytes && arriving.size > 0) evictOne();
  }

  function evictOne(): void {
    const now = performance.now();
    const cost = ({ bytes, startedAt }: Arrival) => bytes * (now - startedAt);
    const [worst] = [...arriving].toSorted((a, b) => cost(b) - cost(a));
    if (!worst) return;
    free(worst);
    worst.evict(crowded());
  }

  function free(arrival: Arrival): void {
    arriving.delete(arrival);
    held -= arrival.bytes;
    arrival.bytes = 0;
  }

  /**
   * Reads a body with `read`, which counts each chunk, and passes it to `use`; its memory counts until both are done.
   * Throws `unavailable` if the body was evicted while it arrived.
   */
  return async function hold<Body, Result>(
    read: (count: (bytes: number) => void) => Promise<Body>,
    use: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const evicted = Promise.withResolvers<never>();
    const arrival = { bytes: 0, startedAt: performance.now(), evict: evicted.reject };
    arriving.add(arrival);
    try {
      const body = await Promise.race([
        read((bytes) => charge(arrival, bytes + chunkOverheadBytes)),
        evicted.promise,
      ]);
      arriving.delete(arrival);
      return await use(body);
    } finally {
      free(arrival);
    }
  };
}

function crowded(): ShopError {
  return new ShopError(
    'unavailable',
    'Too many pictures are being uploaded at the moment. Try again shortly.',
    {
      retryAfter: 30,
    },
  );
}
