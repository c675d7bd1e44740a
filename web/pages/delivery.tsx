import { type LoaderFunctionArgs, useLoaderData } from 'react-router';
import { isSameCustomsArea, nameCountry } from '../../contract/delivery/countries.ts';
import { isPricedIn } from '../../contract/delivery/rates.ts';
import type { Shipping, Zone } from '../../contract/delivery/shipping-rates.ts';
import { productPagePaths } from '../../contract/paths.ts';
import { addPaths } from '../client/api/client.ts';
import { loaderContext } from '../client/route-context.ts';
import { formatPrefixes } from '../components/delivery/postcodes.ts';
import { RateTable } from '../components/delivery/rate-table.tsx';
import { Notice } from '../components/feedback/notice.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { useAllStyles, useSettings } from '../shop.tsx';
import { Component as NotFound } from './not-found.tsx';

addPaths(productPagePaths);

export async function loader({ context }: LoaderFunctionArgs) {
  const { client, settings } = context.get(loaderContext);
  const shipping = await client.call('getShipping', {});
  const { shipsFrom } = shipping;
  const isPriced = isPricedIn(shipping, settings.chargedCurrency);
  const zones = isPriced ? shipping.zones : [];
  return {
    isPriced,
    from: shipsFrom && nameCountry(shipsFrom),
    sending: describeSending(shipping, settings.timeZone),
    zones: zones
      .filter(({ rates }) => rates.length > 0)
      .map((zone) => ({
        name: zone.name,
        rates: zone.rates,
        places: describePlaces(zone, zones),
        customs: describeCustoms(shipsFrom, zone.countries),
      })),
  };
}

const joinNames = (names: readonly string[]): string =>
  names.toSorted((one, other) => one.localeCompare(other, 'en')).join(', ');

/** Says for which of these countries import charges may apply; '' if for none. */
function describeCustoms(shipsFrom: string, countries: readonly string[]): string {
  const outside = countries.filter((code) => !isSameCustomsArea(shipsFrom, code));
  if (outside.length === 0) return '';
  const isAll = outside.length === countries.length;
  const names = outside.map((code) => (code === '*' ? 'all other countries' : nameCountry(code)));
  return isAll
    ? 'These parcels cross a customs border, so import charges may apply.'
    : `Parcels to some of these countries cross a customs border, so import charges may apply: ${joinNames(names)}.`;
}

/** The zone's countries and postcodes, in words. */
function describePlaces({ countries, postcodes = [] }: Zone, zones: Zone[]): string {
  if (countries.length === 1 && countries[0] === '*') return 'All other countries';
  const names = countries.map((code) => (code === '*' ? 'all other countries' : nameCountry(code)));
  const list = joinNames(names);
  if (postcodes.length > 0) return `${list}: postcodes that begin with ${formatPrefixes(postcodes)}`;
  const isRest = zones.some(
    (zone) => (zone.postcodes ?? []).length > 0 && zone.countries.some((code) => countries.includes(code)),
  );
  return isRest ? `${list}: all other postcodes` : list;
}

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** When parcels are sent, and the announced days on which the shop is closed. */
function describeSending({ cutOff, workingDays, holidays, closed }: Shipping, timeZone = 'UTC') {
  const [first = 1] = workingDays;
  const last = workingDays.at(-1) ?? first;
  const names = workingDays.map((day) => days[day - 1]);
  const isRow = workingDays.length > 2 && last - first + 1 === workingDays.length;
  const list = isRow ? `${names[0]} to ${names.at(-1)}` : new Intl.ListFormat('en').format(names.map(String));
  const today = new Date().toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const periods = closed
    .filter(({ to }) => to >= today)
    .map(({ from, to }) => format.formatRange(new Date(from), new Date(to)));
  return [
    `An order that is paid before ${cutOff} (${timeZone.replaceAll('_', ' ')}) is sent on the same working day.`,
    `Working days are ${list}${holidays ? ', without public holidays' : ''}.`,
    ...(periods.length > 0 ? [`We send nothing on ${new Intl.ListFormat('en').format(periods)}.`] : []),
  ].join(' ');
}

/** The page of delivery costs, generated from the zones. It exists once an admin has entered a rate. */
export function Component() {
  const { isPriced, from, sending, zones } = useLoaderData<typeof loader>();
  const { delivers } = useSettings();
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
      {!isPriced && (
        <Notice>
          Our delivery rates are being changed. Until that is done, you cannot pay for an order.
        </Notice>
      )}
      <p className="mb-10 max-w-text text-soft">
        {`We send parcels from this country: ${from}. Before you pay, you enter your address, choose a delivery option and see the total.`}
        {hasDays && ` ${sending}`}
      </p>
      <div className="max-w-[56rem]">
        {zones.map(({ name, places, rates, customs }) => (
          <section key={`${name} ${places}`} className="mb-12">
            <h2 className="mb-1 text-2xl">{name}</h2>
            {places !== name && <p className="mb-4 max-w-text text-sm text-soft">{places}</p>}
            <RateTable caption={`Delivery to ${name}`} rates={rates} />
            {customs && (
              <p className="mt-3 max-w-text text-sm">
                {`${customs} Our prices do not include these charges: you pay them when the parcel arrives.`}
              </p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}
