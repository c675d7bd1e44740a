import { useRef } from 'react';
import { Button } from '../../../../components/button.tsx';
import { ShortcutSwitch } from '../../../../components/shortcut-switch.tsx';
import { useScans } from '../../use-scans.ts';

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

type Props = { onKey: (key: Exclude<Key, '?'>) => boolean; onScan: (code: string) => void };

/** Single-key shortcuts, and a dialog that lists them and turns them off (WCAG 2.1.4). A scanned code never triggers them. */
export function Shortcuts({ onKey, onScan }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useScans({
    onScan,
    onKey(name, isRepeat) {
      const key = shortcuts.find(([each]) => each === name)?.[0];
      if (!key || (isRepeat && key !== 'j' && key !== 'k')) return false;
      if (key !== '?') return onKey(key);
      dialog.current?.showModal();
      return true;
    },
  });
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
