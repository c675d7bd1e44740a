import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { isSameCustomsArea } from '../../../../../contract/delivery/countries.ts';
import type { Quote } from '../../../../../contract/delivery/quotes.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { myOrdersPage, paymentPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { PromiseList } from '../../../../components/promises.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useMoney } from '../../../../shop.tsx';
import { AddressFields } from './address-fields.tsx';
import { ChargeLines } from './charge-lines.tsx';
import { checkoutForm, parseChoice } from './checkout.ts';
import { addAmounts, DeliveryRates } from './delivery-rates.tsx';
import type { CheckoutData } from './load-checkout.ts';
import { PayBar } from './pay-bar.tsx';
import { useQuote } from './use-quote.ts';

type Props = {
  order: Order;
  purchase: Purchase;
  checkout: CheckoutData;
  viewer: Viewer;
  /** Keeps the form open, even if another window has saved the checkout in the meantime. */
  onOpen: (isOpen: boolean) => void;
  /** The tools of the purchase. */
  children: ReactNode;
};

const formId = 'checkout-form';
/** The form that changes the country and the postcode without scripts. */
const destinationForm = 'destination';

/** Where and how a purchase is sent, with the total beside it. */
export function CheckoutForm({ order, purchase, checkout, viewer, onOpen, children }: Props) {
  const page = `${paymentPages}/${order._id}`;
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const money = useMoney();
  const button = useRef<HTMLButtonElement>(null);
  const form = usePageForm(checkoutForm, {
    viewer,
    onRejected({ status }) {
      onOpen(true);
      if (status === 409) return quote.reload();
    },
    async onDone() {
      onOpen(false);
      await navigate(page, { preventScrollReset: true, replace: !search.has('edit') });
    },
  });
  const rejected = form.rejectedValues;
  const { shipTo, countries, sentTo, shipsFrom } = checkout;
  const { billTo } = purchase;
  const [country, setCountry] = useState(shipTo.country);
  const [billCountry, setBillCountry] = useState(
    rejected?.['billTo.country'] || (billTo?.country ?? shipTo.country),
  );
  const quote = useQuote(purchase._id, checkout.quote, shipTo, form.draft.signIn);
  const [wanted, setWanted] = useState(rejected?.rate ? parseChoice(rejected.rate).rate : purchase.rate);
  const { goods, currency } = quote.quote;
  const chosen = findChosen(quote.quote, wanted);
  const delivery = chosen && { label: chosen.name, amount: chosen.price };
  const total = addAmounts(goods, chosen?.price ?? 0);
  const isBlocked = !chosen || quote.isLoading;
  const nameOf = (code: string) => countries[code] ?? code;
  const isEditing = purchase.rate !== undefined;
  useFocusAfterwards();

  return (
    <>
      <form id={destinationForm} method="get" hidden>
        {isEditing && <input type="hidden" name="edit" value="checkout" />}
      </form>
      <form
        {...form.props}
        id={formId}
        onSubmit={(event) => {
          if (!isBlocked) return form.props.onSubmit(event);
          event.preventDefault();
          if (!quote.isLoading) document.getElementById('rate')?.focus();
        }}
        className="checkout grid grid-cols-1 items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_25rem]"
      >
        <div className="grid min-w-0 grid-cols-1 gap-y-8">
          {children}
          <section aria-labelledby="where" className="border-t-2 border-edge pt-4">
            <h2 id="where" className="mb-4 text-xl">
              Where to
            </h2>
            <FormStart form={form} version={purchase.version} keepsInput />
            <input type="hidden" name="purchase" value={purchase._id} />
            <noscript>
              <SelectField
                id="new-country"
                name="country"
                form={destinationForm}
                label="Country"
                defaultValue={country}
                options={pickCountries(countries, sentTo, country)}
              />
              <Field
                id="new-postcode"
                name="postcode"
                form={destinationForm}
                label="Postcode, for the delivery costs"
                maxLength={20}
                defaultValue={shipTo.postcode}
              />
              <p className="mb-6">
                <Button type="submit" kind="plain" form={destinationForm}>
                  Change country or postcode
                </Button>
              </p>
            </noscript>
            <div className="noscript:hidden">
              <SelectField
                id="shipTo.country"
                name="shipTo.country"
                label="Country"
                autoComplete="shipping country"
                value={country}
                options={pickCountries(countries, sentTo, country)}
                onChange={({ currentTarget }) => {
                  setCountry(currentTarget.value);
                  quote.changeCountry(currentTarget.value);
                }}
              />
            </div>
            <AddressFields
              form={form}
              kind="shipTo"
              country={country}
              initial={shipTo}
              onPostcode={quote.changePostcode}
            />
          </section>
          <section aria-labelledby="how" className="border-t-2 border-edge pt-4">
            <h2 id="how" className="mb-4 text-xl">
              How
            </h2>
            <p role="status" className="sr-only">
              {quote.announcement}
            </p>
            <DeliveryRates
              quote={quote.quote}
              chosen={chosen}
              country={nameOf(country)}
              hasCustoms={country !== '' && !isSameCustomsArea(shipsFrom, country)}
              isLoading={quote.isLoading}
              loadError={quote.error}
              error={form.messageOf('rate')}
              onChoose={(rate) => {
                setWanted(rate);
                form.clearError('rate');
              }}
              onRetry={() => void quote.reload()}
            />
          </section>
          <section aria-label="More about this order" className="border-t-2 border-edge pt-4">
            <TextArea
              label="Remark (optional)"
              hint="For the parcel or its delivery, such as a neighbour’s name."
              rows={2}
              maxLength={500}
              {...form.field('remark', purchase.remark)}
            />
            <fieldset className="group min-w-0">
              <legend className="sr-only">Invoice</legend>
              <label className="flex min-h-11 items-center gap-3">
                <input
                  type="checkbox"
                  name="hasBillTo"
                  defaultChecked={rejected ? Boolean(rejected.hasBillTo) : billTo !== undefined}
                  className="size-6 shrink-0"
                />
                Another address for the invoice
              </label>
              <div className="mt-4 hidden group-has-[input:checked]:block">
                <SelectField
                  id="billTo.country"
                  name="billTo.country"
                  label="Country"
                  autoComplete="billing country"
                  value={billCountry}
                  options={countries}
                  onChange={({ currentTarget }) => setBillCountry(currentTarget.value)}
                />
                <AddressFields form={form} kind="billTo" country={billCountry} initial={billTo} />
              </div>
            </fieldset>
          </section>
        </div>
        <section
          aria-labelledby="summary"
          className="max-lg:border-t-2 max-lg:border-edge max-lg:pt-5 lg:sticky lg:top-6 lg:border lg:border-rule lg:bg-leaf lg:p-6"
        >
          <h2 id="summary" className="mb-3 text-xl">
            Summary
          </h2>
          <ChargeLines goods={goods} currency={currency} delivery={delivery} total={total} followsChoice />
          <Button
            ref={button}
            type="submit"
            busy={form.isBusy}
            aria-disabled={isBlocked}
            className="mt-4 w-full"
          >
            Continue to payment
          </Button>
          <p className="mt-3 text-sm text-soft">You enter your card next. Nothing is charged yet.</p>
          {isEditing && (
            <p className="mt-3">
              <ButtonLink kind="plain" to="?" preventScrollReset onClick={() => onOpen(false)}>
                Cancel
              </ButtonLink>
            </p>
          )}
          <PromiseList className="mt-6" />
          <p className="mt-4">
            <Link to={myOrdersPage} className="link link-alone text-sm">
              My Orders
            </Link>
          </p>
        </section>
        <PayBar total={money.charged(total, currency)} button={button}>
          <Button type="submit" busy={form.isBusy} aria-disabled={isBlocked}>
            Continue
          </Button>
        </PayBar>
      </form>
    </>
  );
}

/** The rate that the customer has chosen. If it is not offered, the cheapest that sends a parcel or, without one, any. */
const findChosen = ({ rates, problems }: Quote, wanted: string | undefined) =>
  problems.includes('not_to')
    ? undefined
    : (rates.find(({ _id }) => _id === wanted) ?? rates.find(({ pickup }) => !pickup) ?? rates[0]);

/** The countries to which the shop delivers, and that of the address. */
const pickCountries = (
  countries: Readonly<Record<string, string>>,
  sentTo: readonly string[],
  current: string,
): Record<string, string> => ({
  ...(current in countries ? {} : { [current]: 'Choose a country' }),
  ...Object.fromEntries(
    Object.entries(countries).filter(([code]) => code === current || sentTo.includes(code)),
  ),
});

/** The focus was on the form's button: moves it to what has replaced the form. */
function useFocusAfterwards(): void {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.getElementById('payment')?.focus();
    },
    [],
  );
}
