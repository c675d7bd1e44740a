import { useRef } from 'react';

/** Moves the focus within a table after a dialog closes, since the row of its button may be gone. */
export function useRowFocus(rows: { _id: string }[]) {
  const targetId = useRef('');
  return {
    setTarget(id: string): void {
      targetId.current = id;
    },
    /** This row will be removed: target the row below it, the one above, or `main`. */
    setTargetAfterRemoval(id: string): void {
      const at = rows.findIndex((row) => row._id === id);
      targetId.current = (rows[at + 1] ?? rows[at - 1])?._id ?? 'main';
    },
    /** For the dialog's `onClose`. Without a target, the focus stays on the button. */
    focusTarget(): void {
      document.getElementById(targetId.current)?.focus();
      targetId.current = '';
    },
  };
}
