import { useRef } from 'react';

/** Where the focus goes in a table when a dialog closes whose button may be gone. */
export function useRowFocus(rows: { _id: string }[]) {
  const next = useRef('');
  return {
    /** To this row. */
    stayAt(id: string): void {
      next.current = id;
    },
    /** This row is going: to the one below it, or the one above, or the page's main part. */
    leave(id: string): void {
      const at = rows.findIndex((row) => row._id === id);
      next.current = (rows[at + 1] ?? rows[at - 1])?._id ?? 'main';
    },
    /** For the dialog's `onClose`. Where nothing was done, the focus is at the button again and stays there. */
    move(): void {
      document.getElementById(next.current)?.focus();
      next.current = '';
    },
  };
}
