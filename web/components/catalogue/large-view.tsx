import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { Icon } from '../layout/icon.tsx';
import { useBackToClose } from './back-to-close.ts';
import { getLargestUrl } from './product-image.tsx';
import { maxZoom, useZoom } from './zoom.ts';

type Props = {
  images: { img: string; alt: string }[];
  /** Names the view. */
  label: string;
  /** The index of the first image to show. */
  start: number;
  /** Receives the index of the last image shown. */
  onClose: (shown: number) => void;
};

const zoomStep = 1.6;
/** A tap or a click zooms this far in, or back out. */
const tapZoom = 2.5;
/** A second tap within this time is part of a double tap, and ignored. */
const doubleTapMs = 300;
const arrowKeys: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** How far an arrow key moves an enlarged image, in CSS pixels. */
const panStep = 80;
/** A press of the mouse that moves less than this is a click. */
const clickDistance = 5;

/**
 * Images that fill the window, in a row that scrolls from one to the next. Pinching, tapping, the buttons and the keys `+` and
 * `-` enlarge an image, which then scrolls within its own box, also with the arrow keys.
 */
export function LargeView({ images, label, start, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const row = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(start);
  const getStage = () => row.current?.children[shown];
  const { zoom, zoomTo, listen } = useZoom(getStage);
  const lastTap = useRef(0);
  const drag = useRef({ distance: 0 });
  /** The image that the row is scrolling to. */
  const target = useRef<number>(undefined);
  const releaseTarget = () => (target.current = undefined);

  useEffect(() => {
    dialog.current?.showModal();
    const { current } = row;
    current?.scrollTo({ left: start * current.clientWidth, behavior: 'instant' });
  }, [start]);
  useEffect(() => listen(row.current), [listen]);
  useBackToClose(() => dialog.current?.close());

  function move(by: 1 | -1): void {
    const at = (target.current ?? shown) + by;
    if (!images[at]) return;
    zoomTo(1);
    // Change the target at once, so that a second press moves on from it.
    target.current = at;
    setShown(at);
    row.current?.scrollTo({ left: at * row.current.clientWidth });
  }

  function handleScroll(): void {
    const { scrollLeft, clientWidth } = row.current ?? { scrollLeft: 0, clientWidth: 1 };
    const at = Math.round(scrollLeft / clientWidth);
    if (at === target.current) releaseTarget();
    if (at === shown || target.current !== undefined) return;
    zoomTo(1);
    setShown(at);
  }

  function handleKey(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const arrow = arrowKeys[key];
    if (key === '+' || key === '=') zoomTo(zoom * zoomStep);
    else if (key === '-') zoomTo(zoom / zoomStep);
    else if (key === '0') zoomTo(1);
    else if (arrow && zoom > 1) getStage()?.scrollBy(arrow[0] * panStep, arrow[1] * panStep);
    else if (arrow?.[0]) move(arrow[0] < 0 ? -1 : 1);
    else return;
    event.preventDefault();
  }

  function handleTap({ timeStamp, clientX, clientY }: MouseEvent): void {
    if (timeStamp - lastTap.current < doubleTapMs || drag.current.distance >= clickDistance) return;
    lastTap.current = timeStamp;
    zoomTo(zoom > 1 ? 1 : tapZoom, { clientX, clientY });
  }

  /** A mouse moves an enlarged image as a finger does. */
  function handleDrag({ buttons, pointerType, movementX, movementY, currentTarget }: PointerEvent): void {
    if (pointerType !== 'mouse' || buttons === 0) return;
    drag.current.distance += Math.abs(movementX) + Math.abs(movementY);
    if (zoom > 1) currentTarget.scrollBy({ left: -movementX, top: -movementY, behavior: 'instant' });
  }

  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={() => onClose(shown)}
      onKeyDown={handleKey}
      className="m-0 h-dvh max-h-none w-full max-w-none flex-col border-0 bg-leaf p-0 text-ink open:flex"
    >
      <div className="flex items-center justify-between gap-4 border-b border-rule px-4 py-2">
        <p className="min-w-0 truncate font-serif text-lg">{label}</p>
        <Button kind="plain" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </div>
      <section
        ref={row}
        aria-label="Images"
        tabIndex={images.length > 1 ? 0 : undefined}
        onScroll={handleScroll}
        onPointerDown={releaseTarget}
        onWheel={releaseTarget}
        className="flex min-h-0 grow touch-pan-x touch-pan-y snap-x snap-mandatory overflow-x-auto overflow-y-hidden overscroll-contain motion-safe:scroll-smooth"
      >
        {images.map(({ img, alt }, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: keys and buttons do the same
          // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog handles the keys
          <div
            key={img}
            onClick={handleTap}
            onPointerDown={() => (drag.current.distance = 0)}
            onPointerMove={handleDrag}
            tabIndex={zoom > 1 && index === shown ? 0 : undefined}
            className={`h-full w-full shrink-0 snap-start overflow-auto ${
              zoom > 1 && index === shown ? 'cursor-zoom-out overscroll-contain' : 'cursor-zoom-in'
            }`}
          >
            <div className="size-full">
              <img
                src={getLargestUrl(img)}
                alt={alt}
                draggable={false}
                className="lamplit size-full object-contain select-none"
              />
            </div>
          </div>
        ))}
      </section>
      <div className="figures flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-t sm:justify-between border-rule px-4 py-2 text-sm">
        <div className="flex flex-wrap items-center justify-center gap-2">
          <Button
            kind="plain"
            aria-label="Zoom out"
            aria-disabled={zoom === 1}
            onClick={() => zoomTo(zoom / zoomStep)}
          >
            −
          </Button>
          <p role="status" className="w-16 text-center">
            <span className="sr-only">Zoom </span>
            {`${Math.round(zoom * 100)}%`}
          </p>
          <Button
            kind="plain"
            aria-label="Zoom in"
            aria-disabled={zoom === maxZoom}
            onClick={() => zoomTo(zoom * zoomStep)}
          >
            +
          </Button>
        </div>
        {images.length > 1 && (
          <div className="flex flex-wrap items-center justify-center gap-2">
            <Button
              kind="plain"
              aria-label="Previous image"
              aria-disabled={shown === 0}
              onClick={() => move(-1)}
            >
              <Icon name="unfold" className="rotate-90" />
            </Button>
            <p role="status" className="w-16 text-center">
              <span className="sr-only">Image </span>
              {`${shown + 1} of ${images.length}`}
            </p>
            <Button
              kind="plain"
              aria-label="Next image"
              aria-disabled={shown === images.length - 1}
              onClick={() => move(1)}
            >
              <Icon name="unfold" className="-rotate-90" />
            </Button>
          </div>
        )}
      </div>
    </dialog>
  );
}
