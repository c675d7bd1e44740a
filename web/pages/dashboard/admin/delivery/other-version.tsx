import type { Shipping } from '../../../../../contract/delivery/shipping-rates.ts';
import { deliveryRatesPage } from '../../../../../contract/page-addresses.ts';
import { formatPrefixes } from '../../../../components/delivery/postcodes.ts';
import { RateTable } from '../../../../components/delivery/rate-table.tsx';
import { restOfTheWorld } from './zone-fields.tsx';

type Props = { shipping: Shipping; countries: Record<string, string> };

/** The version that another admin has saved while this one was typing. */
export function OtherVersion({ shipping, countries }: Props) {
  const { shipsFrom, cutOff, zones } = shipping;
  return (
    <section aria-labelledby="other" className="mb-10 border-l-4 border-brass bg-leaf px-4 py-3">
      <h2 id="other" className="mb-2 text-xl">
        What another admin has saved meanwhile
      </h2>
      <p className="mb-4 max-w-text text-soft">
        {'The form below has what you typed. Saving it replaces this version. '}
        <a href={deliveryRatesPage} className="link">
          Discard yours and edit this version
        </a>
      </p>
      <p className="mb-2">{`Sent from ${countries[shipsFrom] ?? 'no country'}, cut-off time ${cutOff}.`}</p>
      {zones.length === 0 && <p>No zones: customers are not charged for delivery.</p>}
      {zones.map(({ name, countries: codes, postcodes = [], rates }) => (
        <div key={`${name} ${codes.join()} ${postcodes.join()}`} className="mt-4">
          <h3 className="text-lg">{name}</h3>
          <p className="mb-2 text-sm text-soft">
            {codes.map((code) => (code === '*' ? restOfTheWorld : (countries[code] ?? code))).join(', ')}
            {postcodes.length > 0 && `: ${formatPrefixes(postcodes)}`}
          </p>
          {rates.length > 0 && <RateTable caption={`Rates of ${name}`} rates={rates} />}
        </div>
      ))}
    </section>
  );
}
