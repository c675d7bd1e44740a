import { type KeyboardEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import { carriers, findCarrier, guessCarrier } from '../../../../../contract/orders/carriers.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Parcel } from '../../../../../contract/orders/shipping.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { hasCode } from '../../../../client/api/api-errors.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { describeMissingAddress } from '../all-orders/shipping-warning.ts';
import { askAboutCheckDigit, warnOfCheckDigit } from '../check-digit-warning.tsx';
import { showTrackingNumber } from '../scanned-number.ts';
import { useUndo } from '../use-undo.tsx';
import { focusOrder } from './focus-order.ts';
import { formatParcel, shipForm, trackingForm } from './shipping.ts';
import { useFocusFirst } from './use-focus-first.ts';

/** Ships the paid orders that have not been shipped yet. */
export function ShippingSection({
  orders,
  viewer,
  isHidden,
}: {
  orders: Order[];
  viewer: Viewer;
  isHidden: boolean;
}) {
  const [first, ...others] = orders;
  if (!first) return null;
  const { address, chargedBack, disputed, user } = first;
  return (
    <section
      aria-labelledby="shipping"
      hidden={isHidden}
      className="mb-10 border-t-2 border-edge pt-4 print:hidden"
    >
      <h2 id="shipping" className="mb-4 text-xl">
        Ship
      </h2>
      {disputed && (
        <Notice>
          The customer has disputed this payment. If the bank sides with the customer, the money is lost.
        </Notice>
      )}
      {chargedBack !== undefined && (
        <Notice error announced={false}>
          The customer’s bank has taken the money back. Ship this only if you are paid another way.
        </Notice>
      )}
      {!address && <Notice>{describeMissingAddress('The customer', user)}</Notice>}
      <ShippingForm orders={[first, ...others]} viewer={viewer} isHidden={isHidden} />
    </section>
  );
}

type Props = {
  orders: [Order, ...Order[]];
  viewer: Viewer;
  /** The parcel of the order whose tracking is corrected. Without one, the form ships the orders. */
  corrected?: Parcel;
  /** The form keeps what was typed, but leaves its ids to the form that is open. */
  isHidden?: boolean;
};

/** Ships orders in one parcel, or corrects the tracking of a parcel. */
export function ShippingForm({ orders, viewer, corrected, isHidden = false }: Props) {
  const [first] = orders;
  const page = `${orderPages}/${first.number}`;
  const isCorrection = corrected !== undefined;
  const toId = (name: string) => (isHidden ? `hidden-${name}` : name);
  const button = isCorrection ? 'Save tracking' : 'Ship';
  const toast = useToast();
  const navigate = useNavigate();
  const { undoButton } = useUndo();
  const { trackingNumber = '', carrier } = corrected ?? {};
  const form = usePageForm<string | undefined>(isCorrection ? trackingForm : shipForm, {
    viewer,
    ask(texts) {
      const number = texts.trackingNumber ?? '';
      const question = number === trackingNumber ? undefined : askAboutCheckDigit(number, button);
      return question ? { trackingNumber: question } : {};
    },
    async onDone(shipment, { texts, reset }) {
      const order = orders.find(({ _id }) => _id === texts.parcel) ?? first;
      if (shipment) {
        reset();
        // The admin may have typed the next number already.
        suggestCarrier(form.getText('trackingNumber'));
        toast(
          describeShipment(orders, texts),
          'done',
          undoButton([{ id: shipment, number: order.number }], order._id),
        );
      } else toast('Tracking saved.');
      // Move the focus before the page loads again, because the admin may start to type the next number in the meantime.
      focusOrder(order);
      await navigate(page, { preventScrollReset: true });
    },
  });
  const number = form.field('trackingNumber', trackingNumber);
  const [typed, setTyped] = useState(number.defaultValue);
  const guess = guessCarrier(typed);
  // After a plain post, the page does not know the error's code, only that the number was rejected.
  const isShared =
    form.rejected?.errors.trackingNumber !== undefined &&
    (form.rejected.error === undefined || hasCode(form.rejected.error, 'shared_number'));
  // The link that opened the correction had the focus, and is gone.
  useFocusFirst(form.draft.ref, !isCorrection || form.rejectedValues !== undefined);

  /** Fills in the carrier while the number is typed, unless the admin has entered another carrier. */
  function suggestCarrier(newNumber: string) {
    const chosen = form.getText('carrier');
    if (chosen === '' || chosen === guess) form.setText('carrier', guessCarrier(newNumber) ?? '');
    setTyped(newNumber);
  }

  /** A scanner sends Enter after the number. If the carrier is unknown and the number looks right, Enter moves to the carrier's field. */
  function moveToCarrier(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Enter') showTrackingNumber(event.currentTarget);
    const isUnknown = typed.trim() !== '' && !guess && !form.getText('carrier');
    const isQuestionable = askAboutCheckDigit(typed, button) !== undefined;
    if (event.key !== 'Enter' || !isUnknown || isQuestionable) return;
    event.preventDefault();
    document.getElementById('carrier')?.focus();
  }

  return (
    <form {...form.props} className="mb-8 max-w-text">
      <FormStart form={form} version={first.version} />
      {/* Confirms the number that was rejected because another order has it, too. */}
      <input type="hidden" name="sharedNumber" value={isShared ? form.rejected?.values.trackingNumber : ''} />
      {isCorrection ? (
        <>
          <input type="hidden" name="order" value={first._id} />
          <input type="hidden" name="shipment" value={corrected._id} />
        </>
      ) : (
        <>
          <input type="hidden" name="purchase" value={first.purchase} />
          <input type="hidden" name="lines" value={formatParcel(orders)} />
          <ParcelChoice orders={orders} chosen={form.rejectedValues?.parcel ?? ''} />
        </>
      )}
      {!isCorrection && first.chargedBack !== undefined && (
        <label className="mb-6 flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            name="anyway"
            id={toId('anyway')}
            value="true"
            defaultChecked={form.rejectedValues?.anyway === 'true'}
            className="size-6 shrink-0"
          />
          Send it anyway: the bank has taken the money back
        </label>
      )}
      {!isCorrection && orders.some((order) => countLeft(order) > 1) && (
        <Field
          label="Pieces in the parcel (optional)"
          hint={`Leave it empty to send all that are left${orders.length > 1 ? '' : ` (${countLeft(first)})`}.`}
          inputMode="numeric"
          autoComplete="off"
          maxLength={7}
          {...form.field('quantity')}
          id={toId('quantity')}
        />
      )}
      <Field
        label="Tracking number (optional)"
        hint={(!number.error && warnOfCheckDigit(typed)) || 'Type or scan it.'}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={100}
        {...number}
        id={toId('trackingNumber')}
        onKeyDown={moveToCarrier}
        onBlur={(event) => showTrackingNumber(event.target)}
        onChange={(event) => suggestCarrier(event.target.value)}
      />
      <Field
        label="Carrier (optional)"
        hint={describeCarrier(typed, guess)}
        list={toId('carriers')}
        autoComplete="off"
        maxLength={60}
        {...form.field('carrier', carrier)}
        id={toId('carrier')}
      />
      <datalist id={toId('carriers')}>
        {carriers.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field
        label="Tracking link (optional)"
        hint="Only for a carrier not in the list."
        inputMode="url"
        autoComplete="off"
        maxLength={500}
        {...form.field('trackingUrl', corrected && getOwnLink(corrected))}
        id={toId('trackingUrl')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.isBusy}>
          {button}
        </Button>
        {isCorrection && (
          <ButtonLink kind="plain" to={page} preventScrollReset onClick={() => focusOrder(first)}>
            Cancel
          </ButtonLink>
        )}
      </div>
    </form>
  );
}

/** Which orders are in the parcel: all, or one. `chosen` is an order's id, or '' for all. */
function ParcelChoice({ orders, chosen }: { orders: readonly Order[]; chosen: string }) {
  if (orders.length < 2) return null;
  const options = [
    { value: '', label: orders.length === 2 ? 'Both tools' : `All ${orders.length} tools` },
    ...orders.map(({ _id, product }) => ({ value: _id, label: `Only ${product}` })),
  ];
  return (
    <RadioField
      legend="In the parcel"
      field={{ name: 'parcel' }}
      options={options}
      chosen={chosen}
      error={undefined}
    />
  );
}

function describeCarrier(trackingNumber: string, guess: string | undefined): string {
  if (guess) return `This looks like a ${guess} number.`;
  return trackingNumber.trim() === ''
    ? 'Detected from most tracking numbers.'
    : 'Not recognized. Without a carrier, the customer gets no link.';
}

/** The link that an admin entered; a known carrier's link is generated from the number. */
function getOwnLink({ carrier = '', trackingUrl }: Parcel): string | undefined {
  const known = findCarrier(carrier);
  return known && trackingUrl?.startsWith(known.link) ? '' : trackingUrl;
}

function describeShipment(
  orders: readonly Order[],
  { parcel = '', quantity = '' }: Record<string, string>,
): string {
  const shipped = orders.filter(({ _id }) => parcel === '' || parcel === _id);
  const [first, ...others] = shipped;
  if (!first || others.length > 0) return `${shipped.length} tools are shipped.`;
  const pieces = Number(quantity) || countLeft(first);
  return pieces < countLeft(first)
    ? `${formatQuantity(pieces, 'piece')} of ${first.product} ${pieces === 1 ? 'is' : 'are'} shipped.`
    : `${first.product} is shipped.`;
}
