import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { getSession } from '../../../client/session.ts';
import { useToast } from '../../../components/feedback/toast.tsx';

export const undoneMessage = 'The parcel is taken back. The customer gets no message about it.';

/** Takes parcels back and shows a toast. `undoButton` is for the toast that says that they are shipped. */
export function useUndo() {
  const toast = useToast();
  const { revalidate } = useRevalidator();
  async function undo(shipments: readonly string[]): Promise<void> {
    try {
      for (const id of shipments) await getSession().client.call('undoShipment', { params: { id } });
      toast(
        shipments.length === 1
          ? undoneMessage
          : `${shipments.length} parcels are taken back. The customers get no message about them.`,
      );
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    await revalidate();
  }
  /** `focusId` is the element that gets the focus, because the toast with the button disappears. */
  const undoButton = (shipments: readonly string[], focusId: string): ReactNode =>
    shipments.length > 0 && (
      <button
        type="button"
        className="link"
        onClick={() => {
          document.getElementById(focusId)?.focus();
          void undo(shipments);
        }}
      >
        Undo
      </button>
    );
  return { undo, undoButton };
}
