import { AddressField } from './address-field.tsx';
import { Field } from './field.tsx';

type Delivery = { address?: string | undefined; phone?: string | undefined };

/** The optional address and phone of an order. `initial` is the rejected input or the profile's. */
export function DeliveryFields({ initial, errors }: { initial: Delivery; errors: Delivery }) {
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
