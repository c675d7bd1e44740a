import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate, useSearchParams } from 'react-router';
import {
  addressFields,
  findMissing,
  type PostalAddress,
  questionPostcode,
  readAddress,
} from '../../../../../contract/delivery/address-format.ts';
import { isSameCustomsArea } from '../../../../../contract/delivery/countries.ts';
import type { OfferedRate, Quote } from '../../../../../contract/delivery/quotes.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { myOrdersPage, paymentPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Link } from '../../../../components/link.tsx';
import { PromiseList } from '../../../../components/promises.tsx';
import { fillField, isField } from '../../../../forms/dom-fields.ts';
import { AddressFields } from '../../../../forms/fields/address-fields.tsx';
import { CountryField } from '../../../../forms/fields/country-field.tsx';
import { DefaultButton } from '../../../../forms/fields/default-button.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useMoney } from '../../../../shop.tsx';
import { sumAmounts } from '../my-orders/purchases.ts';
import { ChargeLines } from './charge-lines.tsx';
import { addressUnsaved, checkoutForm, parseChoice, steps } from './checkout.ts';
import { DeliveryRates, failureId } from './delivery-rates.tsx';
import type { CheckoutData } from './load-checkout.ts';
import { PayBar } from './pay-bar.tsx';
import { SavedAddresses } from './saved-addresses.tsx';
import { type Destination, useQuote } from './use-quote.ts';

type Props = {
  order: Order;
  purchase: Purchase;
  checkout: CheckoutData;
  viewer: Viewer;
  /** The checkout is saved, so the form can be closed without saving it. */
  isSaved: boolean;
  /** Keeps the form open, even if another window has saved the checkout in the meantime. */
  onOpen: (isOpen: boolean) => void;
  /** The tools of the purchase. */
  children: ReactNode;
};

const formId = 'checkout-form';

/** How long to wait for the next key before the rates are loaded. */
const typingDelayMs = 800;

/** Where and how a purchase is sent, with the total beside it. */
export function CheckoutForm({ order, purchase, checkout, viewer, isSaved, onOpen, children }: Props) {
  const page = `${paymentPages}/${order._id}`;
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const money = useMoney();
  const toast = useToast();
  const button = useRef<HTMLButtonElement>(null);
  const form = usePageForm(checkoutForm, {
    viewer,
    ask(texts) {
      const address = readAddress((field) => texts[`shipTo.${field}`] ?? '');
      // A missing part of the address is named first.
      const question = findMissing(address).length === 0 && questionPostcode(address);
      return question ? { 'shipTo.postcode': question } : {};
    },
    async onRejected({ status }): Promise<void> {
      onOpen(true);
      if (status === 409) await quote.load(readDestination(form.draft.ref.current));
    },
    async onDone(isAddressSaved) {
      if (!isAddressSaved) toast(addressUnsaved.message, 'wrong');
      // Otherwise the page is loaded again.
      if (search.has('edit')) await navigate(page, { preventScrollReset: true });
      onOpen(false);
    },
  });
  const { ref } = form.draft;
  const rejected = form.rejectedValues;
  const { countries, shipsFrom, addresses, canSaveAddress } = checkout;
  // If another window saves the checkout, only some fields would get its values: the form would mix two addresses.
  const [{ shipTo, typedAddress, billTo, remark }] = useState(() => ({
    shipTo: checkout.shipTo,
    typedAddress: checkout.typedAddress,
    billTo: purchase.billTo,
    remark: purchase.remark,
  }));
  const startBillCountry = billTo?.country ?? shipTo.country;
  const [country, setCountry] = useState(shipTo.country);
  const [billCountry, setBillCountry] = useState(rejected?.['billTo.country'] || startBillCountry);
  // The options stay the same, because the browser keeps the choice.
  const [sentTo] = useState(() => pickCountries(checkout, shipTo.country));
  const quote = useQuote(purchase._id, checkout.quote, shipTo, form.draft.signIn);
  const [wanted, setWanted] = useState(rejected?.rate ? parseChoice(rejected.rate).rate : purchase.rate);
  const { goods, currency } = quote.quote;
  const chosen = findChosen(quote.quote, wanted);
  const delivery = chosen && { label: chosen.name, amount: chosen.price };
  const total = sumAmounts([goods, chosen?.price ?? 0]);
  /** The choice that the customer saw when they pressed the button while rates were being loaded. */
  const [awaited, setAwaited] = useState<string>();
  const [notice, setNotice] = useState<string>();
  const { problems } = quote.quote;
  /** The rates follow once the address is complete: the form names its missing parts. */
  const isIncomplete = problems.includes('address') || problems.includes('postcode');
  const isBlocked = quote.error !== undefined || (!chosen && !isIncomplete);
  const nameOf = (code: string) => countries[code] ?? code;
  useFocusAfterwards();

  function follow(delayMs = 0): void {
    if (quote.follow(readDestination(ref.current), delayMs)) setNotice(undefined);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for input from before the page was hydrated.
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const typed = new FormData(element);
    const read = (name: string) => String(typed.get(name) ?? '');
    setCountry(readDestination(element).country);
    setBillCountry(read('billTo.country') || startBillCountry);
    const { rate } = parseChoice(read('rate'));
    if (rate !== '' && rate !== chosen?._id) setWanted(rate);
    follow();
  }, []);

  // The customer has pressed the button while rates were being loaded.
  useEffect(() => {
    if (awaited === undefined || quote.isLoading) return;
    setAwaited(undefined);
    if (quote.error !== undefined) {
      document.getElementById(failureId)?.focus();
      return;
    }
    if (awaited === describeChoice(chosen, total)) {
      ref.current?.requestSubmit();
      return;
    }
    if (chosen)
      setNotice(`The total is now ${money.charged(total, currency)}. Check the delivery, then continue.`);
    document.getElementById('rate')?.focus();
  }, [awaited, quote.isLoading, quote.error, chosen, total, currency, money, ref]);

  function submit(event: FormEvent<HTMLFormElement>): void {
    const destination = readDestination(event.currentTarget);
    if (quote.error !== undefined || quote.follow(destination)) {
      event.preventDefault();
      if (quote.error !== undefined) void quote.load(destination);
      setAwaited(describeChoice(chosen, total));
      return;
    }
    setNotice(undefined);
    if (chosen || isIncomplete) {
      form.props.onSubmit(event);
      return;
    }
    event.preventDefault();
    document.getElementById('rate')?.focus();
  }

  return (
    <form
      {...form.props}
      id={formId}
      onSubmit={submit}
      className="checkout grid grid-cols-1 items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_25rem]"
    >
      <div className="grid min-w-0 grid-cols-1 gap-y-8">
        {children}
        <section aria-labelledby="where" className="border-t-2 border-edge pt-4">
          <h2 id="where" className="mb-4 text-xl">
            Delivery address
          </h2>
          <FormStart form={form} version={purchase.version} keepsInput />
          <input type="hidden" name="purchase" value={purchase._id} />
          <noscript>
            <DefaultButton />
          </noscript>
          {typedAddress && (
            <div className="mb-6 border-l-4 border-rule pl-4 text-sm">
              <p className="text-soft">The address that you gave before. Please enter it in these fields:</p>
              <p className="whitespace-pre-line wrap-anywhere">{typedAddress}</p>
            </div>
          )}
          {addresses.length > 0 && (
            <SavedAddresses
              addresses={addresses}
              onChoose={(address) => {
                fillAddress(ref.current, address);
                follow();
              }}
            />
          )}
          <CountryField
            form={form}
            prefix="shipTo."
            options={sentTo}
            initial={shipTo.country}
            onChoose={(chosenCountry) => {
              setCountry(chosenCountry);
              follow();
            }}
          />
          <AddressFields
            form={form}
            prefix="shipTo."
            country={country}
            initial={shipTo}
            onPostcode={(isDone) => follow(isDone ? 0 : typingDelayMs)}
          />
          {canSaveAddress && (
            <Checkbox
              name="savesAddress"
              label="Save this address in my address book"
              isChecked={Boolean(rejected?.savesAddress)}
            />
          )}
          <noscript>
            <p className="mt-4">
              <Button type="submit" kind="plain" name="step" value={steps.destination} formAction="#where">
                Update after changing the country or postcode
              </Button>
            </p>
          </noscript>
        </section>
        <section aria-labelledby="how" className="border-t-2 border-edge pt-4">
          <h2 id="how" className="mb-4 text-xl">
            Delivery
          </h2>
          <p role="status" className="sr-only">
            {quote.announcement}
          </p>
          {/* A draft restores it, unlike a choice among rates that are still to be loaded. */}
          <input
            type="text"
            hidden
            data-draft="always"
            autoComplete="off"
            name="wantedRate"
            value={wanted ?? ''}
            onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          />
          <DeliveryRates
            quote={quote.quote}
            chosen={chosen}
            country={nameOf(country)}
            hasCustoms={country !== '' && !isSameCustomsArea(shipsFrom, country)}
            isLoading={quote.isLoading}
            loadError={quote.error}
            error={form.messageOf('rate')}
            notice={notice}
            onChoose={(rate) => {
              setWanted(rate);
              setNotice(undefined);
              form.clearError('rate');
            }}
            onRetry={() => void quote.load(readDestination(ref.current))}
          />
        </section>
        <section aria-label="More about this order" className="border-t-2 border-edge pt-4">
          <TextArea
            label="Remark (optional)"
            hint="For the parcel or its delivery, such as a neighbour’s name."
            rows={2}
            maxLength={500}
            {...form.field('remark', remark)}
          />
          <fieldset className="group min-w-0">
            <legend className="sr-only">Invoice</legend>
            <Checkbox
              name="hasBillTo"
              label="Another address for the invoice"
              isChecked={rejected ? Boolean(rejected.hasBillTo) : billTo !== undefined}
            />
            <div className="mt-4 hidden group-has-[input:checked]:block">
              <CountryField
                form={form}
                prefix="billTo."
                options={countries}
                initial={startBillCountry}
                onChoose={setBillCountry}
              />
              <AddressFields form={form} prefix="billTo." country={billCountry} initial={billTo} />
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
          busy={form.isBusy || awaited !== undefined}
          aria-disabled={isBlocked}
          className="mt-4 w-full"
        >
          Continue to payment
        </Button>
        <p className="mt-3 text-sm text-soft">You enter your card next. Nothing is charged yet.</p>
        {isSaved && (
          <p className="mt-3">
            <ButtonLink
              kind="plain"
              to="?"
              preventScrollReset
              onClick={() => {
                form.draft.cancel();
                onOpen(false);
              }}
            >
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
        <Button type="submit" busy={form.isBusy || awaited !== undefined} aria-disabled={isBlocked}>
          Continue
        </Button>
      </PayBar>
    </form>
  );
}

/** The rate that the customer has chosen. If it is not offered, the cheapest that sends a parcel or, without one, any. */
const findChosen = ({ rates, problems }: Quote, wanted: string | undefined) =>
  problems.includes('not_to')
    ? undefined
    : (rates.find(({ _id }) => _id === wanted) ?? rates.find(({ pickup }) => !pickup) ?? rates[0]);

/** The chosen rate and the total, as a text to compare. */
const describeChoice = (chosen: OfferedRate | undefined, total: number): string =>
  `${chosen?._id ?? ''} ${total}`;

/** The countries to which the shop delivers, and that of the address. */
const pickCountries = ({ countries, sentTo }: CheckoutData, current: string): Record<string, string> => ({
  ...(current in countries ? {} : { [current]: 'Choose a country' }),
  ...Object.fromEntries(
    Object.entries(countries).filter(([code]) => code === current || sentTo.includes(code)),
  ),
});

/** The destination in the fields, even if the browser has filled them in. */
function readDestination(form: HTMLFormElement | null): Destination {
  const read = (name: string) => {
    const field = form?.elements.namedItem(`shipTo.${name}`);
    return field && 'value' in field ? String(field.value).trim() : '';
  };
  return { country: read('country'), postcode: read('postcode') };
}

/** Fills in an address as if the customer had typed it. */
function fillAddress(form: HTMLFormElement | null, address: PostalAddress): void {
  for (const part of addressFields) {
    const field = form?.elements.namedItem(`shipTo.${part}`);
    if (field instanceof HTMLSelectElement) {
      field.value = address[part];
      // The fields of the country are rendered before they are filled in.
      flushSync(() => field.dispatchEvent(new Event('change', { bubbles: true })));
    } else if (field instanceof Element && isField(field)) fillField(field, address[part]);
  }
}

function Checkbox({ name, label, isChecked }: { name: string; label: string; isChecked: boolean }) {
  return (
    <label className="flex min-h-11 items-center gap-3">
      <input type="checkbox" name={name} defaultChecked={isChecked} className="size-6 shrink-0" />
      {label}
    </label>
  );
}

/** The focus was on the form's button: moves it to what has replaced the form. */
function useFocusAfterwards(): void {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.getElementById('payment')?.focus();
    },
    [],
  );
}
