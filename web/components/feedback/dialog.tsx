import { type FormEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';

type Props = {
  /** The question, naming the object: "Delete the order for Brass hammer?" */
  title: string;
  children?: ReactNode;
  /** The label of the confirm button: "Delete the order". */
  confirmLabel: string;
  cancelLabel?: string;
  kind?: 'danger' | 'primary';
  /** Resolves to `false` to keep the dialog open. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks for confirmation. It opens when mounted; Escape and the cancel button close it. */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  cancelLabel = 'Keep it',
  kind = 'danger',
  onConfirm,
  onClose,
}: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const result = await onConfirm().finally(() => setBusy(false));
    if (result !== false) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose} className="dialog">
      <form noValidate onSubmit={confirm}>
        <h2 id={heading} className="mb-3 text-xl wrap-anywhere">
          {title}
        </h2>
        {children}
        <div className="mt-6 flex flex-wrap gap-3">
          <Button kind="plain" onClick={() => dialog.current?.close()}>
            {cancelLabel}
          </Button>
          <Button type="submit" kind={kind} busy={busy} onClick={ignoreSecondClick}>
            {confirmLabel}
          </Button>
        </div>
      </form>
    </dialog>
  );
}

/** The second click of a double click on the button that opened the dialog may land on its confirm button. */
function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}
