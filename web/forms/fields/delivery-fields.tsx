import type { Delivery } from '../../client/last-delivery.ts';
import { useSettings } from '../../shop.tsx';
import { AddressField } from './address-field.tsx';
import { Field } from './field.tsx';

/**
 * The optional address and phone of an order; nothing if the checkout asks for them. `initial` is the rejected input, or what
 * `loadDelivery` returns.
 */
export function DeliveryFields({ initial, errors }: { initial: Delivery; errors: Delivery }) {
  const { delivers } = useSettings();
  if (delivers) return null;
  return (
    <>
      <AddressField
        label="Address (optional)"
        hint="Where to send the parcel. If you leave it empty, we’ll contact you before we ship."
        defaultValue={initial.address}
        error={errors.address}
      />
      <Field
        label="Phone (optional)"
        name="phone"
        type="tel"
        inputMode="tel"
        defaultValue={initial.phone}
        error={errors.phone}
        maxLength={300}
        autoComplete="tel"
      />
    </>
  );
}
