import { type ReactNode, useState } from 'react';
import { guessCarrier } from '../../../../../contract/orders/carriers.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { warnOfCheckDigit } from '../check-digit-warning.tsx';
import { showTrackingNumber } from '../scanned-number.ts';
import { findShippingWarning } from './shipping-warning.ts';

type Props = {
  number: string;
  orders: Order[];
  /** The purchase's other tools that could be shipped. */
  others: Order[];
  error: string | undefined;
  onChange: () => void;
  /** Tracking numbers by purchase number, kept when the dialog is closed, until their parcels are shipped. */
  trackingNumbers: Map<string, string>;
};

/** The tools of a purchase that ship together, with a tracking number that is named after the purchase. */
export function Parcel({ number, orders, others, error, trackingNumbers, onChange }: Props) {
  const initial = trackingNumbers.get(number) ?? '';
  const [typed, setTyped] = useState(initial);
  return (
    <fieldset
      aria-describedby={others.length > 0 ? `${number}-others` : undefined}
      className="mb-2 border-t border-rule pt-3"
    >
      <legend className="float-left mb-1 w-full font-medium wrap-anywhere">
        {`Order ${number}, ${orders[0]?.userName}`}
      </legend>
      {orders.map((order) => {
        const warning = findShippingWarning(order);
        return (
          // A new checkbox if the order has changed: it is not selected if there is now a warning.
          <label
            key={`${order._id} ${order.version}`}
            className="clear-both flex min-h-11 items-center gap-3 py-1 wrap-anywhere"
          >
            <input type="checkbox" name={order._id} defaultChecked={!warning} className="size-5 shrink-0" />
            <span>
              {describeTool(order)}
              {warning && <span className="block text-sm text-ruby">{warning.text}</span>}
            </span>
          </label>
        );
      })}
      {others.length > 0 && (
        <p id={`${number}-others`} className="clear-both mb-3 text-sm font-medium">
          {`${others.length === 1 ? '1 other tool' : `${others.length} other tools`} of order ${number} will not be shipped: ${others.map(describeTool).join(', ')}.`}
        </p>
      )}
      <Field
        label="Tracking number (optional)"
        hint={error ? undefined : describeNumber(typed)}
        name={number}
        error={error}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={100}
        defaultValue={initial}
        onBlur={({ target }) => showTrackingNumber(target)}
        onChange={({ target }) => {
          trackingNumbers.set(number, target.value);
          setTyped(target.value);
          onChange();
        }}
      />
    </fieldset>
  );
}

function describeTool({ orderQuantity, refundedQuantity = 0, product }: Order) {
  if (refundedQuantity > 0)
    return `${orderQuantity - refundedQuantity} × ${product} (${refundedQuantity} of ${orderQuantity} refunded)`;
  return orderQuantity > 1 ? `${orderQuantity} × ${product}` : product;
}

function describeNumber(typed: string): ReactNode {
  if (typed.trim() === '') return undefined;
  const carrier = guessCarrier(typed);
  if (carrier) return `This looks like a ${carrier} number.`;
  return (
    warnOfCheckDigit(typed) ??
    'No carrier recognized: the customer gets the number without a link. To name the carrier, ship this order from its page.'
  );
}
