import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { isSameCustomsArea, nameCountry } from '../../contract/delivery/countries.ts';
import type { Shipping, Zone } from '../../contract/delivery/shipping-rates.ts';
import { loaderContext } from '../client/route-context.ts';
import { formatPrefixes } from '../components/delivery/postcodes.ts';
import { RateTable } from '../components/delivery/rate-table.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { useAllStyles, useSettings } from '../shop.tsx';
import { Component as NotFound } from './not-found.tsx';

export async function loader({ context }: LoaderFunctionArgs) {
  const { shipsFrom, zones, cutOff, workingDays } = await context
    .get(loaderContext)
    .client.call('getShipping', {});
  return {
    from: shipsFrom && nameCountry(shipsFrom),
    sending: describeSending({ cutOff, workingDays }),
    zones: zones
      .filter(({ rates }) => rates.length > 0)
      .map((zone) => ({
        name: zone.name,
        rates: zone.rates,
        places: describePlaces(zone, zones),
        hasCustoms: zone.countries.some((code) => code === '*' || !isSameCustomsArea(shipsFrom, code)),
      })),
  };
}

/** The zone's countries and postcodes, in words. */
function describePlaces({ countries, postcodes = [] }: Zone, zones: Zone[]): string {
  if (countries.length === 1 && countries[0] === '*') return 'All other countries';
  const names = countries.map((code) => (code === '*' ? 'all other countries' : nameCountry(code)));
  const list = names.sort((one, other) => one.localeCompare(other, 'en')).join(', ');
  if (postcodes.length > 0) return `${list}: postcodes that begin with ${formatPrefixes(postcodes)}`;
  const isRest = zones.some(
    (zone) => (zone.postcodes ?? []).length > 0 && zone.countries.some((code) => countries.includes(code)),
  );
  return isRest ? `${list}: all other postcodes` : list;
}

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function describeSending({ cutOff, workingDays }: Pick<Shipping, 'cutOff' | 'workingDays'>) {
  const [first = 1] = workingDays;
  const last = workingDays.at(-1) ?? first;
  const names = workingDays.map((day) => days[day - 1]);
  const isRow = workingDays.length > 2 && last - first + 1 === workingDays.length;
  const list = isRow ? `${names[0]} to ${names.at(-1)}` : new Intl.ListFormat('en').format(names.map(String));
  return { cutOff, list };
}

/** The page of delivery costs, generated from the zones. It exists once an admin has entered a rate. */
export function Component() {
  const { from, sending, zones } = useLoaderData<typeof loader>();
  const { delivers, timeZone = 'UTC' } = useSettings();
  const styles = useAllStyles();
  if (!delivers) return <NotFound />;
  const hasDays = zones.some(({ rates }) => rates.some((rate) => rate.days));
  return (
    <>
      <link rel="stylesheet" href={styles} precedence="default" />
      <PageHeading
        title="Delivery costs"
        description="Where we deliver, what it costs and how long it takes."
      />
      <p className="mb-10 max-w-text text-soft">
        {`We send parcels from this country: ${from}. Before you pay, you enter your address, choose one of the ways to send your order, and see the total.`}
        {hasDays &&
          ` An order that is paid before ${sending.cutOff} (${timeZone.replaceAll('_', ' ')}) is sent on the same working day. Working days are ${sending.list}.`}
      </p>
      <div className="max-w-[56rem]">
        {zones.map(({ name, places, rates, hasCustoms }) => (
          <section key={`${name} ${places}`} className="mb-12">
            <h2 className="mb-1 text-2xl">{name}</h2>
            {places !== name && <p className="mb-4 max-w-text text-sm text-soft">{places}</p>}
            <RateTable caption={`Delivery to ${name}`} rates={rates} />
            {hasCustoms && (
              <p className="mt-3 max-w-text text-sm">
                These parcels cross a customs border, so import charges may apply. They are not part of our
                prices: you pay them when the parcel arrives.
              </p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}
