import { useEffect, useRef } from 'react';

/** Closes an open `details` on Escape and when the user taps or moves the focus outside. */
export function useClosing() {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const details = ref.current;
      if (!details?.open) return;
      const isInside = event.target instanceof Node && details.contains(event.target);
      if (event instanceof KeyboardEvent ? event.key !== 'Escape' : isInside) return;
      // Otherwise the focus would be lost with the link that has it.
      if (isInside) details.querySelector('summary')?.focus();
      details.open = false;
    };
    const types = ['keydown', 'pointerdown', 'focusin'];
    for (const type of types) addEventListener(type, close);
    return () => {
      for (const type of types) removeEventListener(type, close);
    };
  }, []);
  return ref;
}
