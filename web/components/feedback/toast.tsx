import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { Icon } from '../layout/icon.tsx';

type Toast = { id: number; text: string; kind: 'done' | 'wrong' | 'undo'; link?: ReactNode };
/** `link` leads to what the message is about. `replaced` is the text of an earlier message that the new one includes. */
type Show = (text: string, kind?: Toast['kind'], link?: ReactNode, replaced?: string) => void;

const ToastContext = createContext<Show>(() => {});

/**
 * Shows a message for four seconds, or longer if it takes longer to read, or ten seconds if it offers to undo something. The time
 * stops while the pointer or the focus is on the message. Usage: `const toast = useToast(); toast('Order:… is Deleted.')`.
 */
export const useToast = (): Show => useContext(ToastContext);

const getDurationMs = ({ text, kind }: Toast): number =>
  Math.max(kind === 'undo' ? 10_000 : 4000, text.length * 50);

let lastId = 0;

/** Provides `useToast` and shows the toasts below the header. They outlive the page that created them. F8 moves the focus to them, Escape back. */
export function ToastProvider({ header, children }: { header: ReactNode; children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const show = useCallback<Show>((text, kind = 'done', link, replaced) => {
    lastId += 1;
    const id = lastId;
    // A repeated message restarts its timer. A new toast also replaces errors and toasts with links, which may be outdated.
    setToasts((list) => [
      ...list.filter(
        (toast) => toast.text !== text && toast.text !== replaced && toast.kind === 'done' && !toast.link,
      ),
      { id, text, kind, link },
    ]);
  }, []);
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let previous: Element | null = null;
    const moveFocus = ({ key }: KeyboardEvent) => {
      const { activeElement } = document;
      const isInside = region.current?.contains(activeElement);
      if (key === 'F8' && !isInside && region.current?.hasChildNodes()) {
        previous = activeElement;
        region.current.focus();
      } else if (key === 'Escape' && isInside) {
        if (previous instanceof HTMLElement) previous.focus();
        previous = null;
        setToasts([]);
      }
    };
    addEventListener('keydown', moveFocus);
    return () => removeEventListener('keydown', moveFocus);
  }, []);
  return (
    <ToastContext value={show}>
      {header}
      <div
        ref={region}
        role="status"
        aria-label="Messages, F8"
        aria-keyshortcuts="F8"
        tabIndex={-1}
        className="toasts"
      >
        {toasts.map((toast) => (
          // The class `toast` has an animation that changes nothing: the browser pauses it and tells when the time is over.
          <p
            key={toast.id}
            style={{ animationDuration: `${getDurationMs(toast)}ms` }}
            onAnimationEnd={() => setToasts((list) => list.filter(({ id }) => id !== toast.id))}
            className={`toast ${toast.kind}`}
          >
            <Icon name={toast.kind === 'wrong' ? 'wrong' : 'done'} className="mr-2" />
            {toast.text}
            {/* A line can break after this space, so it does not indent a link that begins a line. */}
            {toast.link && <>&ensp;{toast.link}</>}
          </p>
        ))}
      </div>
      {children}
    </ToastContext>
  );
}
