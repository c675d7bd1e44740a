import { type ReactNode, useState } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import { guessCarrier } from '../../../../../contract/orders/carriers.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Note } from '../../../../../contract/orders/shipping.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { warnOfCheckDigit } from '../check-digit-warning.tsx';
import { showTrackingNumber } from '../scanned-number.ts';
import { findShippingWarning } from './shipping-warning.ts';

type Props = {
  number: string;
  orders: Order[];
  /** The number of the purchase with whose tools these ship in one parcel. */
  sharedWith: string | undefined;
  /** The purchase's other tools that could be shipped. */
  others: Order[];
  /** The admins' notes about the purchase. */
  notes: readonly Note[];
  error: string | undefined;
  onChange: () => void;
  /** Tracking numbers by purchase number, kept when the dialog is closed, until their parcels are shipped. */
  trackingNumbers: Map<string, string>;
};

/** The name of the field with the number of pieces. */
export const piecesField = ({ _id }: Order): string => `${_id} pieces`;

/** The tools of a purchase that ship together, with a tracking number that is named after the purchase. */
export function Parcel(props: Props) {
  const { number, orders, sharedWith, others, notes, error, trackingNumbers, onChange } = props;
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
      {orders[0]?.address && !sharedWith && (
        <p className="clear-both mb-1 text-sm text-soft whitespace-pre-line wrap-anywhere">
          {orders[0].address}
        </p>
      )}
      {notes.map(({ _id, text }) => (
        <p
          key={_id}
          className="clear-both mb-1 border-l-2 border-brass pl-3 text-sm whitespace-pre-line wrap-anywhere"
        >
          <span className="sr-only">Internal note: </span>
          {text}
        </p>
      ))}
      {orders.map((order) => {
        const warning = findShippingWarning(order);
        return (
          // The key resets the fields if the order has changed, because an order with a new warning must start unselected.
          <div key={`${order._id} ${order.version}`} className="clear-both">
            <label className="flex min-h-11 items-start gap-3 py-2 wrap-anywhere">
              <input
                type="checkbox"
                name={order._id}
                defaultChecked={!warning}
                className="mt-0.5 size-6 shrink-0"
              />
              <span id={`${order._id}-tool`}>
                {describeTool(order)}
                {warning && <span className="block text-sm text-ruby">{warning.text}</span>}
              </span>
            </label>
            {countLeft(order) > 1 && (
              <label className="mb-2 ml-9 flex items-center gap-3 text-sm">
                <input
                  type="number"
                  aria-describedby={`${order._id}-tool`}
                  min={1}
                  max={countLeft(order)}
                  name={piecesField(order)}
                  defaultValue={countLeft(order)}
                  autoComplete="off"
                  className="figures w-20 rounded-control border border-edge bg-leaf px-3 py-2 text-base text-ink"
                />
                {`of ${formatQuantity(countLeft(order), 'piece')} in this parcel`}
              </label>
            )}
          </div>
        );
      })}
      {others.length > 0 && (
        <p id={`${number}-others`} className="clear-both mb-3 text-sm font-medium">
          {`${others.length === 1 ? '1 other tool' : `${others.length} other tools`} of order ${number} will not be shipped: ${others.map(describeTool).join(', ')}.`}
        </p>
      )}
      {sharedWith ? (
        <p className="clear-both mb-3 text-sm">{`Ships in the same parcel as order ${sharedWith}.`}</p>
      ) : (
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
      )}
    </fieldset>
  );
}

function describeTool(order: Order) {
  const { orderQuantity, refundedQuantity = 0, shippedQuantity = 0, product } = order;
  const left = countLeft(order);
  const notes = [
    ...(shippedQuantity > 0 ? [`${shippedQuantity} shipped`] : []),
    ...(refundedQuantity > 0 ? [`${refundedQuantity} refunded`] : []),
  ];
  if (notes.length > 0) return `${left} × ${product} (${notes.join(', ')} of ${orderQuantity})`;
  return left > 1 ? `${left} × ${product}` : product;
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
