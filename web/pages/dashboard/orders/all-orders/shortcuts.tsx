import { useEffect, useEffectEvent, useRef } from 'react';
import { isShortcut } from '../../../../client/shortcuts.ts';
import { Button } from '../../../../components/button.tsx';
import { ShortcutSwitch } from '../../../../components/shortcut-switch.tsx';

const shortcuts = [
  ['/', 'Search'],
  ['j', 'Next order'],
  ['k', 'Previous order'],
  ['Enter', 'Open the order'],
  ['s', 'Ship the order or the selection'],
  ['x', 'Select the order'],
  ['?', 'Show these shortcuts'],
] as const;
type Key = (typeof shortcuts)[number][0];

/**
 * Single-key shortcuts, and a dialog that lists them and turns them off (WCAG 2.1.4). They are ignored while typing, in a
 * dialog, and with a modifier key.
 */
export function Shortcuts({ onKey }: { onKey: (key: Exclude<Key, '?'>) => boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const canRepeat = event.key === 'j' || event.key === 'k';
    const key = shortcuts.find(([name]) => name === event.key)?.[0];
    if (!key || (event.repeat && !canRepeat) || !isShortcut(event)) return;
    if (key === '?') dialog.current?.showModal();
    else if (!onKey(key)) return;
    event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <button
        type="button"
        className="noscript:hidden link link-alone hidden cursor-pointer text-sm md:inline-flex"
        onClick={() => dialog.current?.showModal()}
      >
        Keyboard shortcuts
      </button>
      <dialog ref={dialog} aria-labelledby="shortcuts" className="dialog">
        <h2 id="shortcuts" className="mb-3 text-xl">
          Keyboard shortcuts
        </h2>
        <dl className="mb-4 grid grid-cols-[5rem_1fr] items-center gap-y-2">
          {shortcuts.map(([key, label]) => (
            <div key={key} className="contents">
              <dt>
                <kbd className="inline-block min-w-8 text-center border border-edge px-2 py-1 text-sm">
                  {key}
                </kbd>
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
        </dl>
        <ShortcutSwitch>Enable these shortcuts</ShortcutSwitch>
        <Button kind="plain" className="mt-4" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </dialog>
    </>
  );
}
