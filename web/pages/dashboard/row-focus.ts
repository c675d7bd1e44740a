import { useRef } from 'react';

/** Moves the focus within a table after a dialog closes, since the row of its button may be gone. */
export function useRowFocus(rows: { _id: string }[]) {
  const targetId = useRef('');
  return {
    setTarget(id: string): void {
      targetId.current = id;
    },
    /** Call it if this row will be removed. The target is the row below, the row above or, without either, `main`. */
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
