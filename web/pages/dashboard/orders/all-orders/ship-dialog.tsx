import {
  type FormEvent,
  Fragment,
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { readTrackingNumber } from '../../../../../contract/orders/scanned-codes.ts';
import type { NewShipment } from '../../../../../contract/orders/shipments.ts';
import type { Note } from '../../../../../contract/orders/shipping.ts';
import { countLeft, isToShip } from '../../../../../contract/orders/to-ship.ts';
import { hasCode } from '../../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { fillField } from '../../../../forms/dom-fields.ts';
import { askAboutCheckDigit } from '../check-digit-warning.tsx';
import type { ShippedParcel } from '../use-undo.tsx';
import { Parcel, piecesField } from './parcel.tsx';

type Props = {
  orders: readonly Order[];
  /** All rows of the list. The dialog names the tools of the same purchases that are not selected. */
  rows: readonly Order[];
  /** Tracking numbers by purchase number, kept when the dialog is closed, until their parcels are shipped. */
  trackingNumbers: Map<string, string>;
  /** Ships orders of one customer as one parcel and returns its id. Throws if it cannot be shipped. */
  onShip: (
    lines: readonly { order: Order; quantity: number }[],
    tracking: Pick<NewShipment, 'trackingNumber' | 'sharedNumber' | 'anyway'>,
  ) => Promise<string>;
  /** The purchase with this number as it is now. Throws if it cannot be read. */
  readPurchase: (number: string) => Promise<Purchase>;
  onClose: (shipped: readonly Order[], parcels: readonly ShippedParcel[]) => void;
};

type Failure = {
  message: string;
  /** The failure is a question: pressing Ship again ships with the number as typed. */
  question?: 'check digit' | 'shared';
  /** The other order in the dialog with the same tracking number. */
  other?: string;
};

type Step = 'choosing' | 'shipping' | 'stopping';

/**
 * Ships the selected orders. The orders of a purchase are one parcel with one tracking number. The orders of several purchases can
 * be one parcel, too, if they go to the same customer and address. Orders that fail stay in the dialog with their numbers. The
 * dialog opens when mounted. Closing it while it ships stops after the current parcel.
 */
export function ShipDialog({ orders, rows, trackingNumbers, onShip, readPurchase, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const toast = useToast();
  const [waiting, setWaiting] = useState(orders.filter(({ orderStatus }) => orderStatus === 'paid'));
  const [failures, setFailures] = useState<ReadonlyMap<string, Failure>>(new Map());
  const [shipped, setShipped] = useState<readonly Order[]>([]);
  /** The dialog may close before `shipped` is rendered. */
  const latestShipped = useRef<readonly Order[]>([]);
  const latestParcels = useRef<ShippedParcel[]>([]);
  const [step, setStep] = useState<Step>('choosing');
  /** The dialog may close, and the loop continue, before `step` is rendered. */
  const latestStep = useRef<Step>('choosing');
  const busy = step !== 'choosing';
  /** The admins' notes, by purchase number. */
  const [notes, setNotes] = useState<ReadonlyMap<string, readonly Note[]>>(new Map());
  /** The recipients whose orders are one parcel. */
  const [joined, setJoined] = useState<ReadonlySet<string>>(new Set());
  const byRecipient = [...Map.groupBy(waiting, describeRecipient)];
  const parcels = byRecipient.flatMap(([recipient, group]) => splitParcels(group, joined.has(recipient)));
  const readNotes = useEffectEvent(async () => {
    const numbers = [...new Set(waiting.map(({ number }) => number))];
    // Orders can be shipped without their notes, so errors are ignored.
    const read = await Promise.all(numbers.map((number) => readPurchase(number).catch(() => undefined)));
    setNotes(
      new Map(read.flatMap((purchase) => (purchase ? [[purchase.number, purchase.notes ?? []]] : []))),
    );
  });
  useEffect(() => {
    void readNotes();
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>(chosenNumber)?.focus();
  }, []);

  async function ship(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const input = new FormData(form);
    const failed = new Map<string, Failure>();
    /** The purchases that have changed since the list was loaded: the text that names the parcel, by the purchase's number. */
    const changed = new Map<string, string>();
    const left: Order[] = [];
    const done = [...shipped];
    latestShipped.current = done;
    moveTo('shipping');
    for (const { number, orders: parcel } of parcels)
      if (input.get(number) && !parcel.some(({ _id }) => input.has(_id)))
        failed.set(number, { message: 'Select a tool to ship with this number, or clear the number.' });
    // A number without a selected tool suggests that the labels were scanned into the wrong fields, so nothing is shipped.
    const hasMisplacedNumber = failed.size > 0;
    const chosen = parcels.filter((parcel) => parcel.orders.some(({ _id }) => input.has(_id)));
    const readNumber = ({ number }: ParcelOrders) => String(input.get(number) ?? '');
    // Find equal numbers before shipping: the server would reject the second parcel only after the first had been shipped.
    for (const [number, other] of findSharedNumbers(chosen, readNumber)) {
      if (failures.get(number)?.question === 'shared') continue;
      const message = `Another customer’s order, ${other}, has the same tracking number. Scan both labels again, or press Ship again to use this number anyway.`;
      failed.set(number, { message, question: 'shared', other });
    }
    for (const parcel of chosen) {
      const message = askAboutCheckDigit(readNumber(parcel), 'Ship');
      if (message && !failed.has(parcel.number) && !failures.get(parcel.number)?.question)
        failed.set(parcel.number, { message, question: 'check digit' });
    }
    const heldBack = new Set(failed.keys());
    for (const { number, orders: parcel } of parcels) {
      const trackingNumber = String(input.get(number) ?? '');
      const isShared = failures.get(number)?.question === 'shared';
      const inParcel = parcel.filter(({ _id }) => input.has(_id));
      const shipment =
        latestStep.current === 'shipping' &&
        // The dialog is no longer open once the admin has left the page.
        dialog.current?.open &&
        inParcel.length > 0 &&
        !hasMisplacedNumber &&
        !heldBack.has(number) &&
        (await onShip(
          inParcel.map((order) => ({ order, quantity: readPieces(order, input) })),
          {
            ...(trackingNumber ? { trackingNumber } : {}),
            ...(isShared ? { sharedNumber: trackingNumber } : {}),
            // A charged-back order has a warning and starts unselected, so the admin has selected it knowingly.
            ...(inParcel.some(({ chargedBack }) => chargedBack !== undefined) ? { anyway: true } : {}),
          },
        ).catch((error: unknown) => {
          const message = getErrorMessage(error);
          if (hasCode(error, 'purchase_changed'))
            for (const one of parcel) changed.set(one.number, listNumbers(inParcel));
          else
            failed.set(number, {
              message,
              ...(hasCode(error, 'shared_number') ? { question: 'shared' } : {}),
            });
        }));
      if (shipment) latestParcels.current.push({ id: shipment, number: listNumbers(inParcel) });
      for (const order of parcel) (shipment && inParcel.includes(order) ? done : left).push(order);
    }
    // Clear the number of a shipped parcel: the purchase's other tools will be another parcel, with another number.
    for (const { number, orders: parcel } of parcels) {
      const field = form.elements.namedItem(number);
      const isShipped = parcel.some((order) => done.includes(order));
      const isComplete = !parcel.some((order) => left.includes(order) && input.has(order._id));
      if (isShipped && isComplete && field instanceof HTMLInputElement) fillField(field, '');
    }
    const next = await refresh(left, changed, failed);
    moveTo('choosing');
    setWaiting(next);
    setShipped(done);
    setFailures(failed);
    const isFailed = next.some(({ number }) => failed.has(number));
    if (isFailed)
      form
        .querySelector<HTMLElement>([...failed.keys()].map((number) => `[name="${number}"]`).join())
        ?.focus();
    else dialog.current?.close();
  }

  /** Reads each changed purchase again, so that the dialog shows what will be shipped. */
  async function refresh(left: Order[], changed: Map<string, string>, failed: Map<string, Failure>) {
    let next = left;
    for (const [number, parcel] of changed) {
      const message = `Order ${parcel.replaceAll(', ', ' or ')} has changed since you opened this list. Check what will be shipped, then press Ship again.`;
      failed.set(number, { message });
      const current = await readPurchase(number).catch(() => undefined);
      if (!current) continue;
      const byId = new Map(current.orders.map((order) => [order._id, order]));
      next = next
        .map((order) => (order.number === number ? byId.get(order._id) : order))
        .filter((order) => order !== undefined)
        .filter(({ orderStatus }) => orderStatus === 'paid');
      if (!next.some((order) => order.number === number))
        toast(
          `Order ${number} has changed since you opened this list: it has nothing left to ship.`,
          'wrong',
        );
    }
    return next;
  }

  function moveTo(next: Step) {
    latestStep.current = next;
    setStep(next);
  }

  function closeOrStop() {
    if (latestStep.current === 'choosing') dialog.current?.close();
    else moveTo('stopping');
  }

  /** Forgets the failures of a parcel whose number is edited, and those of a parcel that had the same number. */
  function clearFailures(number: string) {
    if (failures.size === 0) return;
    setFailures(new Map([...failures].filter(([name, { other }]) => name !== number && other !== number)));
  }

  const isUnpaid = ({ orderStatus }: Order) => orderStatus === '' || orderStatus === 'expired';
  const unpaid = orders.filter(isUnpaid);
  const selectedIds = new Set(orders.map(({ _id }) => _id));
  const isLeftBehind = (order: Order) => isToShip(order) && !selectedIds.has(order._id);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="ship-selected"
      className="dialog"
      onClose={() => {
        if (latestStep.current === 'choosing') onClose(latestShipped.current, latestParcels.current);
        // Browsers close a dialog on a second Escape, whatever `onCancel` does, so open it again.
        else dialog.current?.showModal();
      }}
      onCancel={(event) => {
        event.preventDefault();
        closeOrStop();
      }}
    >
      <h2 id="ship-selected" className="mb-3 text-xl">
        {parcels.length === 0 ? 'Nothing to ship' : 'Ship the selected orders'}
      </h2>
      {unpaid.length > 0 && (
        <p className="mb-4 text-soft">{`Not shipped, because they are not paid: ${listNumbers(unpaid)}.`}</p>
      )}
      {/* If all orders are shipped, the dialog closes, so this list appears only if some have failed. */}
      <p role="status" className="mb-4 text-verdigris empty:hidden">
        {step === 'stopping'
          ? 'Stopping after the current parcel…'
          : shipped.length > 0 && `Shipped: ${listNumbers(shipped)}. Not shipped yet:`}
      </p>
      <form noValidate onSubmit={ship} onKeyDown={moveOnEnter}>
        {byRecipient.map(([recipient, group]) => (
          <Fragment key={recipient}>
            {splitParcels(group, false).length > 1 && (
              <label className="flex min-h-11 items-start gap-3 border-t border-rule py-2 wrap-anywhere">
                <input
                  type="checkbox"
                  checked={joined.has(recipient)}
                  disabled={busy}
                  className="mt-0.5 size-6 shrink-0"
                  onChange={() => setJoined(joined.symmetricDifference(new Set([recipient])))}
                />
                {`Ship orders ${joinNumbers(group)} as one parcel (same address)`}
              </label>
            )}
            {splitParcels(group, false).map(({ number, orders: tools }) => {
              const first = group[0]?.number;
              const sharedWith = joined.has(recipient) && number !== first ? first : undefined;
              return (
                <Parcel
                  key={number}
                  number={number}
                  orders={tools}
                  sharedWith={sharedWith}
                  others={rows.filter((row) => row.number === number && isLeftBehind(row))}
                  notes={notes.get(number) ?? []}
                  error={failures.get(number)?.message}
                  trackingNumbers={trackingNumbers}
                  onChange={() => clearFailures(number)}
                />
              );
            })}
          </Fragment>
        ))}
        <div className="flex flex-wrap gap-3">
          <Button kind="plain" busy={step === 'stopping'} onClick={closeOrStop}>
            {parcels.length === 0 ? 'Close' : 'Not yet'}
          </Button>
          {parcels.length > 0 && (
            <Button type="submit" busy={busy}>
              Ship
            </Button>
          )}
        </div>
      </form>
    </dialog>
  );
}

/** The number of pieces that was entered or, by default, all that are left. */
function readPieces(order: Order, input: FormData): number {
  const entered = Number(input.get(piecesField(order)));
  return Number.isInteger(entered) && entered > 0 ? entered : countLeft(order);
}

/** The orders of a parcel. `number` is the first order's purchase number, which is also the name of the tracking number's field. */
type ParcelOrders = { number: string; orders: Order[] };

/** One parcel for each purchase or, if `isJoined`, a single parcel. */
function splitParcels(orders: Order[], isJoined: boolean): ParcelOrders[] {
  const groups = isJoined ? [orders] : [...Map.groupBy(orders, ({ number }) => number).values()];
  return groups.flatMap((group) => (group[0] ? { number: group[0].number, orders: group } : []));
}

/** A key that is the same for orders that can be in one parcel. Each deleted account counts as a customer of its own. */
const describeRecipient = ({ number, user, userName, address }: Order): string =>
  user && address ? [user, userName, address].join('\n') : number;

/** A deleted account has no email address to compare, so each counts as a customer of its own. */
const isOtherCustomer = (one: Order | undefined, other: Order | undefined) =>
  one?.number !== other?.number && (one?.user !== other?.user || one?.user === '');

/**
 * Maps a parcel's number to the number of another customer's parcel with the same tracking number: either label may be wrong.
 */
function findSharedNumbers(
  parcels: readonly ParcelOrders[],
  readNumber: (parcel: ParcelOrders) => string,
): Map<string, string> {
  const read = (parcel: ParcelOrders) => readTrackingNumber(readNumber(parcel)).toUpperCase();
  const shared = new Map<string, string>();
  for (const parcel of parcels) {
    const typed = read(parcel);
    const other =
      typed && parcels.find((one) => isOtherCustomer(one.orders[0], parcel.orders[0]) && read(one) === typed);
    if (other) shared.set(parcel.number, other.number);
  }
  return shared;
}

const readNumbers = (orders: readonly Order[]) => [...new Set(orders.map(({ number }) => number))];
const listNumbers = (orders: readonly Order[]) => readNumbers(orders).join(', ');
const joinNumbers = (orders: readonly Order[]) => new Intl.ListFormat('en-GB').format(readNumbers(orders));

/** The tracking number of a parcel with a selected product. */
const chosenNumber = 'fieldset:has(input:checked) input[type=text]';

/** A scanner sends Enter after each number. Enter moves to the next parcel's number and, after the last, to the button. */
function moveOnEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  const fields = [...event.currentTarget.querySelectorAll<HTMLElement>('input, [type=submit]')];
  fields
    .slice(fields.indexOf(event.target) + 1)
    .find((field) => field.matches(`${chosenNumber}, [type=submit]`))
    ?.focus();
}
