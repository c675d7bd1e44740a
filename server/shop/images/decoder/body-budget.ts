import type { ShopError } from '../../../../contract/errors.ts';
import { chunkOverheadBytes } from '../../../http/request.ts';
import { retryLater } from './rejections.ts';

type Evict = (error: ShopError) => void;
export type SetEvict = (evict: Evict | undefined) => void;

/** `evict` is undefined while the body cannot be evicted. */
type Body = { user: string; bytes: number; startedAt: number; evict: Evict | undefined };

/**
 * Limits the memory of all request bodies together, counting the bytes that have actually arrived. Over the limit, evicts the
 * costliest evictable body, by bytes × time, of the user with the largest total. If time did not count, many accounts that each
 * hold slightly less than a new image could keep it out forever.
 */
export function createBodyBudget(maxBytes: number) {
  const bodies = new Set<Body>();
  let held = 0;

  function charge(body: Body, bytes: number): void {
    if (!bodies.has(body)) return;
    body.bytes += bytes;
    held += bytes;
    while (held > maxBytes) if (!evictOne()) return;
  }

  function evictOne(): boolean {
    const now = performance.now();
    const cost = ({ bytes, startedAt }: Body) => bytes * (now - startedAt);
    const perUser = new Map<string, number>();
    for (const body of bodies) perUser.set(body.user, (perUser.get(body.user) ?? 0) + cost(body));
    const total = ({ user }: Body) => perUser.get(user) ?? 0;
    const [worst] = [...bodies]
      .filter(({ evict }) => evict)
      .toSorted((a, b) => total(b) - total(a) || cost(b) - cost(a));
    if (!worst) return false;
    free(worst);
    worst.evict?.(retryLater('Too many images are being uploaded at the moment. Try again shortly.', 30));
    return true;
  }

  function free(body: Body): void {
    if (bodies.delete(body)) held -= body.bytes;
  }

  /**
   * Reads a body and passes it to `use`. The body's memory counts until `use` is done. Throws `unavailable` if the body was evicted
   * during `read`. While the body waits, `use` can make it evictable with `setEvict`.
   */
  return async function hold<Content, Result>(
    user: string,
    read: (count: (bytes: number) => void) => Promise<Content>,
    use: (content: Content, setEvict: SetEvict) => Promise<Result>,
  ): Promise<Result> {
    const evicted = Promise.withResolvers<never>();
    const body: Body = { user, bytes: 0, startedAt: performance.now(), evict: evicted.reject };
    const setEvict: SetEvict = (evict) => {
      body.evict = evict;
    };
    bodies.add(body);
    try {
      const content = await Promise.race([
        read((bytes) => charge(body, bytes + chunkOverheadBytes)),
        evicted.promise,
      ]);
      setEvict(undefined);
      return await use(content, setEvict);
    } finally {
      free(body);
    }
  };
}
