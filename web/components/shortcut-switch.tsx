import { useEffect, useState } from 'react';
import { areShortcutsOn, turnShortcuts } from '../client/shortcuts.ts';

/** Turns the single-key shortcuts of all pages on or off in this browser (WCAG 2.1.4). */
export function ShortcutSwitch({ children }: { children: string }) {
  const [isOn, setIsOn] = useState(true);
  useEffect(() => setIsOn(areShortcutsOn()), []);
  return (
    <label className="flex min-h-11 w-fit items-center gap-3">
      <input
        type="checkbox"
        className="size-5 shrink-0"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => {
          turnShortcuts(checked ? 'on' : 'off');
          setIsOn(checked);
        }}
      />
      {children}
    </label>
  );
}
