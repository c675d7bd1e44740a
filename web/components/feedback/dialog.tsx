import { type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';

type Props = {
  /** The question, naming the thing: "Delete the order of Brass hammer?" */
  title: string;
  children?: ReactNode;
  /** The act's name on its button: "Delete the order". */
  act: string;
  /** The name of the way back. */
  keep?: string;
  /** Resolves to `false` to keep the dialog open. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something that cannot be undone. Mount it to open it; Escape and `keep` close it. */
export function ConfirmDialog({ title, children, act, keep = 'Keep it', onConfirm, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = async ({ detail }: MouseEvent) => {
    // The second half of a double click on the button that asked, which may lie under this one, is no answer.
    if (detail > 1) return;
    setBusy(true);
    const done = await onConfirm().finally(() => setBusy(false));
    if (done !== false) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose} className="dialog">
      <h2 id={heading} className="mb-3 text-xl wrap-anywhere">
        {title}
      </h2>
      {children}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button kind="plain" onClick={() => dialog.current?.close()}>
          {keep}
        </Button>
        <Button kind="danger" busy={busy} onClick={confirm}>
          {act}
        </Button>
      </div>
    </dialog>
  );
}
