import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { getSession } from '../../../client/session.ts';
import { useToast } from '../../../components/feedback/toast.tsx';

export const undoneMessage = 'The parcel is taken back. The customer gets no message about it.';

/** A parcel that can be taken back, and the number of the purchase that it is for. */
export type ShippedParcel = { id: string; number: string };

/** Takes parcels back and shows a toast. `undoButton` is for the toast that says that the parcels are shipped. */
export function useUndo() {
  const toast = useToast();
  const { revalidate } = useRevalidator();
  async function undo(parcels: readonly ShippedParcel[]): Promise<void> {
    const failures = new Map<ShippedParcel, string>();
    for (const parcel of parcels)
      await getSession()
        .client.call('undoShipment', { params: { id: parcel.id } })
        .catch((error: unknown) => failures.set(parcel, getErrorMessage(error)));
    toast(describeUndo(parcels, failures), failures.size > 0 ? 'wrong' : 'done');
    await revalidate();
  }
  /** The toast's button. The toast disappears when it is pressed, so the element `focusId` gets the focus. */
  const undoButton = (parcels: readonly ShippedParcel[], focusId: string): ReactNode =>
    parcels.length > 0 && (
      <button
        type="button"
        className="link link-alone cursor-pointer"
        onClick={() => {
          document.getElementById(focusId)?.focus();
          void undo(parcels);
        }}
      >
        Undo
      </button>
    );
  return { undoButton };
}

/** `failures` has the parcels that could not be taken back, with the reasons. */
function describeUndo(
  parcels: readonly ShippedParcel[],
  failures: ReadonlyMap<ShippedParcel, string>,
): string {
  if (parcels.length === 1) return failures.values().next().value ?? undoneMessage;
  if (failures.size === 0)
    return `${parcels.length} parcels are taken back. The customers get no message about them.`;
  const done = parcels.filter((parcel) => !failures.has(parcel));
  const reasons = [...Map.groupBy(failures, ([, reason]) => reason)].map(
    ([reason, group]) => `Not taken back: ${listNumbers(group.map(([parcel]) => parcel))}. ${reason}`,
  );
  return [...(done.length > 0 ? [`Taken back: ${listNumbers(done)}.`] : []), ...reasons].join(' ');
}

const listNumbers = (parcels: readonly ShippedParcel[]): string =>
  [...new Set(parcels.map(({ number }) => number))].join(', ');
