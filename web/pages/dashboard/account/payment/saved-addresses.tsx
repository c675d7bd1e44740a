import { useRef } from 'react';
import type { PostalAddress } from '../../../../../contract/delivery/address-format.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { Button } from '../../../../components/button.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import type { SavedAddress } from '../profile/address-book/load-address-book.ts';
import { steps } from './checkout.ts';

type Props = {
  addresses: SavedAddress[];
  onChoose: (address: PostalAddress) => void;
};

/** Fills in an address from the address book. Only the button does: looking through the list must not overwrite what was typed. */
export function SavedAddresses({ addresses, onChoose }: Props) {
  const list = useRef<HTMLSelectElement>(null);
  const hydrated = useHydrated();
  return (
    <>
      <SelectField
        ref={list}
        id="savedAddress"
        // Without a name, drafts do not contain it. Only a plain post needs it.
        name={hydrated ? undefined : 'savedAddress'}
        label="Fill in from your address book"
        options={{
          '': 'Choose an address',
          ...Object.fromEntries(addresses.map(({ _id, lines }) => [_id, lines.join(', ')])),
        }}
      />
      <p className="mb-6">
        <Button
          // With scripts, Enter must not press it.
          type={hydrated ? 'button' : 'submit'}
          kind="plain"
          name="step"
          value={steps.savedAddress}
          formAction="#where"
          onClick={(event) => {
            // The press may come before the button's type has changed.
            event.preventDefault();
            const chosen = addresses.find(({ _id }) => _id === list.current?.value);
            if (chosen) onChoose(chosen.address);
          }}
        >
          Use this address
        </Button>
      </p>
    </>
  );
}
