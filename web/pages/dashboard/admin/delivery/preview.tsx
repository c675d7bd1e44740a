import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'react-router';
import { removePrefix } from '../../../../../contract/delivery/address-format.ts';
import {
  findZone,
  hasPostcodes,
  isTooHeavy,
  isWithinLimits,
  priceRate,
} from '../../../../../contract/delivery/rates.ts';
import type { Zone } from '../../../../../contract/delivery/shipping-rates.ts';
import { parseAmount, parsePieces } from '../../../../../contract/fields.ts';
import { Button } from '../../../../components/button.tsx';
import { describeDays, describeLimits } from '../../../../components/delivery/rate-texts.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import { getText } from '../../../../forms/page-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { findGaps } from './gaps.ts';

type Props = {
  zones: Zone[];
  /** The names of the countries by code. */
  countries: Record<string, string>;
  shipsFrom: string;
  currency: string;
};

const fields = ['to', 'postcode', 'goods', 'weight'] as const;
type Sample = Record<(typeof fields)[number], string>;

/** The rates that customers in a country are offered. Without scripts, a form that shows the saved rates. */
export function Preview({ zones, countries, shipsFrom, currency }: Props) {
  const [search] = useSearchParams();
  const [sample, setSample] = useState<Sample>({
    to: search.get('to') ?? '',
    postcode: search.get('postcode') ?? '',
    goods: search.get('goods') ?? '50',
    weight: search.get('weight') ?? '500',
  });
  const to = sample.to || shipsFrom;

  function read(event: FormEvent<HTMLFormElement>): void {
    const formData = new FormData(event.currentTarget);
    const [country = '', postcode = '', goods = '', weight = ''] = fields.map((name) =>
      getText(formData, name),
    );
    setSample({ to: country, postcode, goods, weight });
  }

  return (
    <aside
      aria-labelledby="preview"
      className="border border-edge bg-leaf p-4 xl:sticky xl:top-6 xl:self-start"
    >
      <h2 id="preview" className="mb-3 text-xl">
        What customers see
      </h2>
      <form
        method="get"
        onInput={read}
        onSubmit={(event) => event.preventDefault()}
        className="[&_div.mb-6]:mb-3"
      >
        <SelectField
          key={shipsFrom}
          id="to"
          name="to"
          label="Delivery to"
          defaultValue={to}
          options={{ '': 'Choose…', ...countries }}
        />
        <Field label="Postcode" name="postcode" autoComplete="off" defaultValue={sample.postcode} />
        <div className="field-row grid-cols-2">
          <Field
            label={`Goods, ${currency}`}
            name="goods"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={sample.goods}
          />
          <Field
            label="Weight, grams"
            name="weight"
            inputMode="numeric"
            autoComplete="off"
            defaultValue={sample.weight}
          />
        </div>
        <noscript>
          <p className="mb-3 text-sm text-soft">Shows the rates that are saved.</p>
          <Button type="submit" kind="plain">
            Show the rates
          </Button>
        </noscript>
      </form>
      <div role="status" className="mt-4 border-t border-rule pt-3">
        <Offers zones={zones} sample={{ ...sample, to }} />
        <Gaps zones={zones} />
      </div>
    </aside>
  );
}

function Offers({ zones, sample }: { zones: Zone[]; sample: Sample }) {
  const money = useMoney();
  const { to, postcode } = sample;
  const [goods, weight] = [parseAmount(sample.goods) ?? 0, parsePieces(sample.weight) ?? 0];
  if (to === '') return <p className="text-soft">Choose a country.</p>;
  if (typeof goods !== 'number' || typeof weight !== 'number')
    return <p className="text-soft">Enter the goods and the weight in digits.</p>;
  if (postcode.trim() === '' && hasPostcodes(zones, to))
    return <p className="text-soft">Enter a postcode: here, the price depends on it.</p>;
  const zone = findZone(zones, { country: to, postcode: removePrefix(to, postcode) });
  const offers = (zone?.rates ?? [])
    .filter((rate) => isWithinLimits(rate, { goods, weight }))
    .map((rate, index) => ({ key: index, rate, price: priceRate(rate, goods) }))
    .toSorted((one, other) => one.price - other.price);
  if (!zone || offers.length === 0)
    return (
      <p>
        {isTooHeavy(zone, weight)
          ? 'No rate applies: the parcel is too heavy. Customers cannot pay for this order.'
          : 'No rate applies here. Customers cannot pay for this order.'}
      </p>
    );
  return (
    <>
      <p className="mb-2 text-sm text-soft">{zone.name || 'A zone without a name'}</p>
      <ul>
        {offers.map(({ key, rate, price }) => (
          <li key={key} className="flex justify-between gap-4 border-t border-rule py-2">
            <span className="min-w-0 wrap-anywhere">
              {rate.name || 'A rate without a name'}
              <span className="block text-sm text-soft">
                {[describeDays(rate), rate.pickup].filter(Boolean).join(' · ')}
              </span>
            </span>
            <span className="figures shrink-0">{price === 0 ? 'Free' : money.charged(price)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Warns about orders between the limits of two rates, and below the first. */
function Gaps({ zones }: { zones: Zone[] }) {
  const money = useMoney();
  const gaps = zones.flatMap((zone) =>
    findGaps(zone).map((gap) => {
      const limits = describeLimits(gap, money.charged);
      return `${zone.name || 'A zone without a name'} has no rate for orders of ${limits}.`;
    }),
  );
  if (gaps.length === 0) return null;
  return (
    <ul className="mt-3 border-t border-rule pt-3 text-sm text-ruby">
      {gaps.map((gap) => (
        <li key={gap}>{gap}</li>
      ))}
    </ul>
  );
}
