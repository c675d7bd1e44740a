import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { PostalAddress } from '../../../../../contract/delivery/address-format.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { AddressFields } from '../../../../forms/fields/address-fields.tsx';
import { CountryField, CountryStep } from '../../../../forms/fields/country-field.tsx';
import { DefaultButton } from '../../../../forms/fields/default-button.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { deliverySaved, focusDeliveryLink } from './delivery-form.tsx';
import { shipToForm } from './ship-to.ts';
import { useFocusFirst } from './use-focus-first.ts';

type Props = {
  purchase: Purchase;
  shipTo: PostalAddress;
  /** The names of the countries that can be chosen, by code. */
  countries: Record<string, string>;
  viewer: Viewer;
};

/** Corrects the address of a purchase, in its parts. */
export function ShipToForm({ purchase: { number, version }, shipTo, countries, viewer }: Props) {
  const page = `${orderPages}/${number}`;
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(shipToForm, {
    viewer,
    async onDone() {
      toast(deliverySaved);
      await navigate(page, { preventScrollReset: true });
      focusDeliveryLink();
    },
  });
  const { rejectedValues } = form;
  const [country, setCountry] = useState(rejectedValues?.['shipTo.country'] || shipTo.country);
  useFocusFirst(form.draft.ref, rejectedValues !== undefined, 'shipTo.line1');
  return (
    <form {...form.props} className="max-w-text">
      <FormStart form={form} version={version} />
      <input type="hidden" name="purchase" value={number} />
      <p className="mb-4 text-soft">
        Delivery has been chosen for this address: it can be corrected, but not to where delivery costs
        something else.
      </p>
      <noscript>
        <DefaultButton />
      </noscript>
      <CountryField
        form={form}
        prefix="shipTo."
        options={countries}
        initial={shipTo.country}
        onChoose={setCountry}
      />
      {Object.keys(countries).length > 1 && <CountryStep />}
      <AddressFields form={form} prefix="shipTo." country={country} initial={shipTo} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.isBusy}>
          Save the address
        </Button>
        <ButtonLink kind="plain" to={page} preventScrollReset onClick={focusDeliveryLink}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
