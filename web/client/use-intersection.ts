import { type RefObject, useEffect, useState } from 'react';

/** How an element intersects the window, updated when it scrolls into or out of it. Undefined before the first measurement. */
export function useIntersection(ref: RefObject<Element | null>): IntersectionObserverEntry | undefined {
  const [entry, setEntry] = useState<IntersectionObserverEntry>();
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setEntry(entries.at(-1)));
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [ref]);
  return entry;
}
