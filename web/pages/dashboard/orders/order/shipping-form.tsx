import { type ChangeEvent, type KeyboardEvent, useEffect, useState } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useNavigate, useRevalidator } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import { carriers, findCarrier, guessCarrier } from '../../../../../contract/orders/carriers.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { hasCode } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { describeMissingAddress } from '../all-orders/shipping-warning.ts';
import { askAboutCheckDigit, warnOfCheckDigit } from '../check-digit-warning.tsx';
import { showTrackingNumber } from '../scanned-number.ts';
import { useUndo } from '../use-undo.tsx';
import { focusOrder } from './focus-order.ts';
import { createShippingForm } from './shipping.ts';

/** Ships the paid orders that have not been shipped yet. */
export function ShippingSection({ orders, viewer }: { orders: Order[]; viewer: Viewer }) {
  const [parcels, setParcels] = useState(0);
  const [first, ...others] = orders;
  if (!first) return null;
  const { address, chargedBack, disputed, user } = first;
  return (
    <section aria-labelledby="shipping" className="mb-10 border-t-2 border-edge pt-4 print:hidden">
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
      {/* A new form for the next parcel. */}
      <ShippingForm
        key={parcels}
        orders={[first, ...others]}
        viewer={viewer}
        onDone={() => setParcels(parcels + 1)}
      />
    </section>
  );
}

type Props = { orders: [Order, ...Order[]]; viewer: Viewer; onDone?: () => void };

/** Ships orders in one parcel or, if they have been shipped, corrects its tracking. */
export function ShippingForm({ orders, viewer, onDone }: Props) {
  const [first] = orders;
  const isCorrection = first.orderStatus === 'sipping';
  const rejected = useRejectedForm('ship');
  const definition = createShippingForm(first.number, orders, first.version);
  const form = useShopForm(definition, rejected);
  const { isSubmitting } = form.formState;
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const { undoButton } = useUndo();
  const draft = useDraft(viewer.email, 'ship');
  // A partly shipped order has the tracking of an earlier parcel.
  const { trackingNumber, carrier } = isCorrection ? first : {};
  const number = form.field('trackingNumber', trackingNumber);
  const [typed, setTyped] = useState(number.defaultValue);
  const guess = guessCarrier(typed);
  const button = isCorrection ? 'Save tracking' : 'Ship';
  /** The number with a wrong check digit that the next submit sends as typed. */
  const [questioned, setQuestioned] = useState<string>();
  const question = questioned === typed ? askAboutCheckDigit(typed, button) : undefined;
  // The link that opened the correction, and had the focus, is gone.
  useEffect(() => {
    if (isCorrection && !rejected) document.getElementById('trackingNumber')?.focus();
  }, [isCorrection, rejected]);

  /** The carrier appears as the number is typed, unless the admin has entered another one. */
  function suggestCarrier(event: ChangeEvent<HTMLInputElement>) {
    const carrier = form.getValues('carrier') ?? '';
    const next = guessCarrier(event.target.value);
    if (carrier === '' || carrier === guess) form.setValue('carrier', next ?? '');
    setTyped(event.target.value);
  }

  /** A scanner sends Enter after the number: if its carrier is unknown and no typo is suspected, it leads to that field. */
  function moveToCarrier(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Enter') showTrackingNumber(event.currentTarget);
    const isUnknown = typed.trim() !== '' && !guess && !form.getValues('carrier');
    const isQuestionable = askAboutCheckDigit(typed, button) !== undefined;
    if (event.key !== 'Enter' || !isUnknown || isQuestionable) return;
    event.preventDefault();
    form.setFocus('carrier');
  }

  const send = form.handleSubmit(async (values) => {
    const isUnchanged = typed === trackingNumber;
    if (!isUnchanged && !question && askAboutCheckDigit(typed, button)) {
      setQuestioned(typed);
      form.setFocus('trackingNumber');
      return;
    }
    let shipment: string | undefined;
    try {
      shipment = await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      if (hasCode(error, 'shared_number')) form.setValue('sharedNumber', typed);
      // The page shows what has changed.
      if (hasCode(error, 'purchase_changed')) await revalidate();
      return;
    }
    const order = orders.find(({ _id }) => _id === values.parcel) ?? first;
    if (shipment === undefined) toast('Tracking saved.');
    else
      toast(
        describeShipment(orders, values),
        'done',
        undoButton([{ id: shipment, number: order.number }], order._id),
      );
    await navigate(definition.redirectTo, { preventScrollReset: true });
    onDone?.();
    focusOrder(order);
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="mb-8 max-w-text">
      <FormHead form={form} draft={draft} viewer={viewer} version={first.version} />
      <input type="hidden" name="form" value={definition.name} />
      {/* Confirms the number that the server has rejected. */}
      <input
        type="hidden"
        {...form.register('sharedNumber')}
        defaultValue={rejected?.errors.trackingNumber && rejected.values.trackingNumber}
      />
      <ParcelChoice
        orders={isCorrection ? [first] : orders}
        chosen={rejected?.values.parcel ?? ''}
        register={form.register('parcel')}
      />
      {!isCorrection && first.chargedBack !== undefined && (
        <label className="mb-6 flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            value="true"
            className="size-6 shrink-0"
            {...form.register('anyway')}
            id="anyway"
            defaultChecked={rejected?.values.anyway === 'true'}
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
        />
      )}
      <Field
        label="Tracking number (optional)"
        hint={(!question && warnOfCheckDigit(typed)) || 'Type or scan it.'}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={100}
        {...number}
        error={number.error ?? question}
        onKeyDown={moveToCarrier}
        onBlur={(event) => {
          showTrackingNumber(event.target);
          return number.onBlur(event);
        }}
        onChange={(event) => {
          suggestCarrier(event);
          return number.onChange(event);
        }}
      />
      <Field
        label="Carrier (optional)"
        hint={describeCarrier(typed, guess)}
        list="carriers"
        autoComplete="off"
        maxLength={60}
        {...form.field('carrier', carrier)}
      />
      <datalist id="carriers">
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
        {...form.field('trackingUrl', isCorrection ? getOwnLink(first) : undefined)}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={isSubmitting}>
          {button}
        </Button>
        {isCorrection && (
          <ButtonLink
            kind="plain"
            to={definition.redirectTo}
            preventScrollReset
            onClick={() => focusOrder(first)}
          >
            Cancel
          </ButtonLink>
        )}
      </div>
    </form>
  );
}

type ParcelProps = {
  orders: readonly Order[];
  /** An order's id, or '' for all. */
  chosen: string;
  register: UseFormRegisterReturn;
};

/** Which orders are in the parcel: all, or one. */
function ParcelChoice({ orders, chosen, register }: ParcelProps) {
  if (orders.length < 2) return <input type="hidden" {...register} defaultValue="" />;
  const options = [
    { value: '', label: orders.length === 2 ? 'Both tools' : `All ${orders.length} tools` },
    ...orders.map(({ _id, product }) => ({ value: _id, label: `Only ${product}` })),
  ];
  return (
    <RadioField legend="In the parcel" field={register} options={options} chosen={chosen} error={undefined} />
  );
}

function describeCarrier(trackingNumber: string, guess: string | undefined): string {
  if (guess) return `This looks like a ${guess} number.`;
  return trackingNumber.trim() === ''
    ? 'Detected from most tracking numbers.'
    : 'Not recognized. Without a carrier, the customer gets no link.';
}

/** The link that an admin entered; a known carrier's link is generated from the number. */
function getOwnLink({ carrier = '', trackingUrl }: Order): string | undefined {
  const known = findCarrier(carrier);
  return known && trackingUrl?.startsWith(known.link) ? '' : trackingUrl;
}

function describeShipment(
  orders: readonly Order[],
  { parcel, quantity }: { parcel: string; quantity?: number | undefined },
): string {
  const shipped = orders.filter(({ _id }) => parcel === '' || parcel === _id);
  const [first, ...others] = shipped;
  if (!first || others.length > 0) return `${shipped.length} tools are shipped.`;
  const isPart = quantity !== undefined && quantity < countLeft(first);
  return isPart
    ? `${formatQuantity(quantity, 'piece')} of ${first.product} ${quantity === 1 ? 'is' : 'are'} shipped.`
    : `${first.product} is shipped.`;
}
