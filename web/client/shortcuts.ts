import { useEffect } from 'react';

const storageKey = 'order-shortcuts';

/** Whether single-key shortcuts are on. All Orders and My Profile can turn them off for all pages (WCAG 2.1.4). */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    // The browser blocks storage, so the user could not turn the shortcuts off.
    return false;
  }
}

export function turnShortcuts(state: 'on' | 'off'): void {
  try {
    localStorage.setItem(storageKey, state);
  } catch {
    // The browser blocks storage, so the shortcuts stay off.
  }
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox]), textarea, select, dialog, [contenteditable]') !== null;

/** Whether a key press may be a shortcut: no modifier key, no open dialog, and no field has the focus. */
export const isOutsideFields = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) &&
  !isTyping(event.target) &&
  !document.querySelector('dialog[open]');

/**
 * `/` moves the focus to the page's search box or, if it has none, to the header's. Only for signed-in users: visitors
 * have no page on which to turn it off.
 */
export function useSearchShortcut(): void {
  useEffect(() => {
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);
}

function focusSearch(event: KeyboardEvent): void {
  if (event.key !== '/' || !areShortcutsOn() || !isOutsideFields(event)) return;
  const targets = ['main input[type=search]', 'header input[type=search]', 'header a[href$="#q"]'];
  const [target] = targets
    .flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)])
    .filter((element) => element.checkVisibility());
  if (!target) return;
  event.preventDefault();
  if (target instanceof HTMLInputElement) target.focus();
  else target.click();
}
