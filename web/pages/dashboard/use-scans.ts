import { useEffect, useEffectEvent, useRef } from 'react';
import { areShortcutsOn, isOutsideFields } from '../../client/shortcuts.ts';

/** A scanner sends its keys more quickly than a person presses them. */
const maxGapMs = 80;
/** No code is shorter, and no person presses as many keys that quickly. */
const minCodeLength = 6;

type Handlers = {
  /** Called with a scanned code. */
  onScan: (code: string) => void;
  /** Called with any other key if the user has not turned shortcuts off. Returns whether it did anything. */
  onKey?: (key: string, isRepeat: boolean) => boolean;
};

/**
 * Distinguishes a barcode scanner, which types a code and Enter, from a person who presses single keys. A code must not run
 * shortcuts or press the button that has the focus, so a key counts as a shortcut only if no other key follows it quickly. Keys
 * are ignored in a field or a dialog, and with a modifier key.
 */
export function useScans({ onScan, onKey = () => false }: Handlers): void {
  const typed = useRef('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const press = useEffectEvent((key: string, isRepeat = false) => areShortcutsOn() && onKey(key, isRepeat));

  /** Handles the typed keys as shortcuts. Six keys or more are a code without its Enter, and are ignored. */
  const finish = useEffectEvent(() => {
    clearTimeout(timer.current);
    const keys = typed.current;
    typed.current = '';
    if (keys.length < minCodeLength) for (const key of keys) press(key);
  });

  const handle = useEffectEvent((event: KeyboardEvent) => {
    const { key, repeat } = event;
    if ((key.length > 1 && key !== 'Enter') || !isOutsideFields(event)) return;
    const before = typed.current;
    if (key === 'Enter' && before.length >= minCodeLength) {
      clearTimeout(timer.current);
      typed.current = '';
      onScan(before);
    } else if (key === 'Enter' || repeat || (key === '/' && !before)) {
      // Keys typed after `/` go into the search box.
      finish();
      if (!press(key, repeat)) return;
    } else {
      typed.current += key;
      clearTimeout(timer.current);
      timer.current = setTimeout(finish, maxGapMs);
      // The browser may need the key, for example a space for the button that has the focus, so don't prevent it.
      if (!before && (key === ' ' || !areShortcutsOn())) return;
    }
    event.preventDefault();
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event);
    document.addEventListener('keydown', listen);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('keydown', listen);
    };
  }, []);
}
