import { euCountries } from '../../../../../contract/delivery/countries.ts';
import { type DeliveryDraft, emptyRate, type RateDraft, type ZoneDraft } from './draft.ts';

type Prices = Partial<Pick<RateDraft, 'by' | 'from' | 'to' | 'freeFrom'>> & { days: [string, string] };

const rate = (name: string, price: string, more: Prices): RateDraft => ({
  ...emptyRate,
  name,
  price,
  ...more,
});

/** One price under 1 kg and one from 1 kg to under 5 kg, for countries far away. */
const world: ZoneDraft = {
  name: 'Rest of the world',
  countries: ['*'],
  postcodes: '',
  rates: [
    rate('Standard, under 1 kg', '14.95', { by: 'weight', to: '1000', days: ['5', '12'] }),
    rate('Standard, from 1 kg', '29.95', { by: 'weight', from: '1000', to: '5000', days: ['5', '12'] }),
  ],
};

type StartingPoint = {
  title: string;
  description: string;
  shipsFrom: string;
  workingDays: number[];
  /** The currencies in which the example prices make sense. In others, the prices are left out. */
  currencies: readonly string[];
  zones: ZoneDraft[];
};

const mondayToFriday = [1, 2, 3, 4, 5];
const similarCurrencies = ['GBP', 'EUR', 'USD', 'CHF'];

/** Zones and example rates to start from, by name. */
export const startingPoints: Record<string, StartingPoint> = {
  uk: {
    title: 'United Kingdom',
    description: 'Great Britain; Northern Ireland, Highlands and Islands by postcode; the rest of the world.',
    shipsFrom: 'GB',
    workingDays: mondayToFriday,
    currencies: similarCurrencies,
    zones: [
      {
        name: 'Great Britain',
        countries: ['GB'],
        postcodes: '',
        rates: [
          rate('Standard', '3.95', { freeFrom: '60', days: ['2', '4'] }),
          rate('Next working day', '6.95', { days: ['1', '1'] }),
        ],
      },
      {
        name: 'Northern Ireland, Highlands and Islands',
        countries: ['GB'],
        postcodes:
          'BT, HS, IM, IV, JE, GY, KA27–28, KW, PA20–49, PA60–78, PH17–26, PH30–44, PH49–50, TR21–25, ZE',
        rates: [rate('Standard', '7.95', { days: ['3', '6'] })],
      },
      {
        name: 'Isle of Man and Channel Islands',
        countries: ['IM', 'JE', 'GG'],
        postcodes: '',
        rates: [rate('Standard', '7.95', { days: ['3', '6'] })],
      },
      world,
    ],
  },
  de: {
    title: 'Germany and the EU',
    description: 'Germany; the other countries of the EU; the rest of the world.',
    shipsFrom: 'DE',
    workingDays: mondayToFriday,
    currencies: similarCurrencies,
    zones: [
      {
        name: 'Germany',
        countries: ['DE'],
        postcodes: '',
        rates: [rate('Parcel', '4.95', { freeFrom: '75', days: ['1', '3'] })],
      },
      {
        name: 'European Union',
        countries: euCountries.filter((code) => code !== 'DE'),
        postcodes: '',
        rates: [rate('Parcel', '12.95', { days: ['3', '7'] })],
      },
      world,
    ],
  },
  us: {
    title: 'United States',
    description: 'The lower 48 states; Alaska and Hawaii by ZIP code; the rest of the world.',
    shipsFrom: 'US',
    workingDays: mondayToFriday,
    currencies: similarCurrencies,
    zones: [
      {
        name: 'Lower 48 states',
        countries: ['US'],
        postcodes: '',
        rates: [rate('Ground', '6.95', { freeFrom: '75', days: ['2', '6'] })],
      },
      {
        name: 'Alaska and Hawaii',
        countries: ['US'],
        postcodes: '967–968, 995–999',
        rates: [rate('Standard', '14.95', { days: ['5', '10'] })],
      },
      world,
    ],
  },
  bd: {
    title: 'Bangladesh',
    description: 'Dhaka by postcode; the rest of Bangladesh; nothing abroad.',
    shipsFrom: 'BD',
    workingDays: [1, 2, 3, 4, 6, 7],
    currencies: ['BDT'],
    zones: [
      {
        name: 'Dhaka',
        countries: ['BD'],
        postcodes: '10–12',
        rates: [rate('Courier', '70', { days: ['1', '2'] })],
      },
      {
        name: 'Rest of Bangladesh',
        countries: ['BD'],
        postcodes: '',
        rates: [rate('Courier', '130', { days: ['2', '5'] })],
      },
    ],
  },
};

/** Fills in the form from a starting point. */
export function startFrom(draft: DeliveryDraft, name: string, currency: string): DeliveryDraft {
  const start = startingPoints[name];
  if (!start) return draft;
  const hasPrices = start.currencies.includes(currency.toUpperCase());
  const zones = start.zones.map((zone) => ({
    ...zone,
    rates: hasPrices ? zone.rates : zone.rates.map((rate) => ({ ...rate, price: '', freeFrom: '' })),
  }));
  const { shipsFrom, workingDays } = start;
  return { ...draft, shipsFrom, workingDays, zones, hasExamples: true };
}
