import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import type { PostalAddress } from '../../../../../../contract/delivery/address-format.ts';
import { dashboardPage } from '../../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../../components/button.tsx';
import { useToast } from '../../../../../components/feedback/toast.tsx';
import { AddressFields } from '../../../../../forms/fields/address-fields.tsx';
import { CountryField, CountryStep } from '../../../../../forms/fields/country-field.tsx';
import { DefaultButton } from '../../../../../forms/fields/default-button.tsx';
import { FormStart, usePageForm } from '../../../../../forms/use-page-form.tsx';
import { profilePath } from '../account-path.ts';
import { addressForm, prefix } from './forms.ts';

type Props = {
  viewer: Viewer;
  /** '' for a new address. */
  id: string;
  initial: PostalAddress;
  countries: Record<string, string>;
  formKey: string;
  onRejected: () => void;
  /** Moves the focus to what has replaced the form. */
  onClose: () => void;
};

/** Adds or changes an address of the address book. */
export function AddressForm({ viewer, id, countries, formKey, onRejected, onClose, ...props }: Props) {
  // The fields must not change if another window saves the address in the meantime.
  const [initial] = useState(props.initial);
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(addressForm, {
    viewer,
    formKey,
    draft: `address ${id}`,
    onRejected,
    async onDone() {
      toast('Address saved.');
      await navigate(dashboardPage, { preventScrollReset: true });
      onClose();
    },
  });
  const startCountry = form.rejectedValues?.[`${prefix}country`] ?? initial.country;
  const [country, setCountry] = useState(startCountry);
  const { ref } = form.draft;
  useEffect(() => {
    const select = ref.current?.elements.namedItem(`${prefix}country`);
    // The browser may have restored the choice.
    if (select instanceof HTMLSelectElement) setCountry(select.value);
  }, [ref]);

  return (
    <form {...form.props} action={`${profilePath}#addresses`} className="max-w-text">
      <h3 className="mb-4 text-xl">{id === '' ? 'New address' : 'Change the address'}</h3>
      <FormStart form={form} keepsInput />
      <input type="hidden" name="id" value={id} />
      <noscript>
        <DefaultButton />
      </noscript>
      <CountryField
        form={form}
        prefix={prefix}
        options={initial.country === '' ? { '': 'Choose a country', ...countries } : countries}
        initial={initial.country}
        onChoose={setCountry}
      />
      <CountryStep />
      <AddressFields form={form} prefix={prefix} country={country} initial={initial} />
      <p className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.isBusy}>
          Save address
        </Button>
        <ButtonLink
          kind="plain"
          to={dashboardPage}
          preventScrollReset
          onClick={() => {
            form.draft.cancel();
            onClose();
          }}
        >
          Cancel
        </ButtonLink>
      </p>
    </form>
  );
}
