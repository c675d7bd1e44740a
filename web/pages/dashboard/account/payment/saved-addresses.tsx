import type { PostalAddress } from '../../../../../contract/delivery/address-format.ts';
import { Button } from '../../../../components/button.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import { steps } from './checkout.ts';
import type { SavedAddress } from './load-checkout.ts';

type Props = {
  addresses: SavedAddress[];
  onChoose: (address: PostalAddress) => void;
};

/** Fills in an address from the address book. Without scripts, a button does. */
export function SavedAddresses({ addresses, onChoose }: Props) {
  return (
    <>
      <SelectField
        id="savedAddress"
        name="savedAddress"
        label="Fill in from your address book"
        options={{
          '': 'Choose an address',
          ...Object.fromEntries(addresses.map(({ _id, lines }) => [_id, lines.join(', ')])),
        }}
        onChange={({ currentTarget }) => {
          const next = addresses.find(({ _id }) => _id === currentTarget.value);
          if (next) onChoose(next.address);
        }}
      />
      <noscript>
        <p className="mb-6">
          <Button type="submit" kind="plain" name="step" value={steps.savedAddress} formAction="#where">
            Use this address
          </Button>
        </p>
      </noscript>
    </>
  );
}
