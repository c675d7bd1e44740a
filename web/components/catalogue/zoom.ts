import { useCallback, useRef, useState } from 'react';

export const maxZoom = 4;

/** A point of the window that stays in place while the content around it grows or shrinks. */
type Focus = { clientX: number; clientY: number };

/** Enlarges the content of a box that scrolls. `getBox` returns the box, whose only child is the content. */
export function useZoom(getBox: () => Element | undefined) {
  const [zoom, setZoom] = useState(1);
  const box = useRef(getBox);
  box.current = getBox;
  const current = useRef(1);

  /** Without a focus, the centre stays in place. */
  const zoomTo = useCallback((wanted: number, focus?: Focus): void => {
    const next = Math.min(Math.max(wanted, 1), maxZoom);
    const scroller = box.current();
    const content = scroller?.firstElementChild;
    if (!scroller || !(content instanceof HTMLElement)) return;
    const { left, top, width, height } = scroller.getBoundingClientRect();
    const x = focus ? focus.clientX - left : width / 2;
    const y = focus ? focus.clientY - top : height / 2;
    const ratio = next / current.current;
    const target = { left: (scroller.scrollLeft + x) * ratio - x, top: (scroller.scrollTop + y) * ratio - y };
    // The content security policy forbids `style` attributes in the document, but not styles set by scripts.
    content.style.width = `${next * 100}%`;
    content.style.height = `${next * 100}%`;
    scroller.scrollTo({ ...target, behavior: 'instant' });
    current.current = next;
    setZoom(next);
  }, []);

  /** Zooms while two fingers pinch on `surface`, or on a touchpad. Returns a function that stops this. */
  const listen = useCallback(
    (surface: HTMLElement | null): (() => void) => {
      const controller = new AbortController();
      let pinch: { distance: number; zoom: number } | undefined;
      function handleTouch(event: TouchEvent): void {
        const [a, b] = event.touches;
        if (!a || !b) {
          pinch = undefined;
          return;
        }
        // Otherwise the browser enlarges the whole page.
        if (event.cancelable) event.preventDefault();
        const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        pinch ??= { distance, zoom: current.current };
        zoomTo((pinch.zoom * distance) / pinch.distance, {
          clientX: (a.clientX + b.clientX) / 2,
          clientY: (a.clientY + b.clientY) / 2,
        });
      }
      /** Browsers report a pinch on a touchpad as a wheel with Ctrl. */
      function handleWheel(event: WheelEvent): void {
        if (!event.ctrlKey) return;
        event.preventDefault();
        zoomTo(current.current * Math.exp(-event.deltaY / 100), event);
      }
      // React's listeners are passive, and could not keep the browser from zooming.
      const options = { passive: false, signal: controller.signal };
      for (const type of ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const)
        surface?.addEventListener(type, handleTouch, options);
      surface?.addEventListener('wheel', handleWheel, options);
      return () => controller.abort();
    },
    [zoomTo],
  );

  return { zoom, zoomTo, listen };
}
