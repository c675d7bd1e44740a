import { type DeliveryDraft, emptyRate, type ZoneDraft } from './draft.ts';
import { startFrom } from './starting-points.ts';

/* A step changes the form without saving it. It is the value of a button: a verb, then the places of a zone and of a rate. */

export const emptyZone: ZoneDraft = { name: '', countries: [], postcodes: '', rates: [emptyRate] };

function move<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const moved = list[from];
  const rest = list.filter((_, index) => index !== from);
  return moved === undefined || to < 0 || to > rest.length ? [...list] : rest.toSpliced(to, 0, moved);
}

/** Changes a list of zones or rates. */
function changeList<Item>(list: readonly Item[], verb: string, at: number): Item[] {
  if (verb === 'up') return move(list, at, at - 1);
  if (verb === 'down') return move(list, at, at + 1);
  return list.filter((_, index) => index !== at);
}

/** `currency` is the one that the shop charges. An unknown step changes nothing. */
export function applyStep(draft: DeliveryDraft, step: string, currency: string): DeliveryDraft {
  const [action = '', ...places] = step.split(' ');
  const [verb = '', noun] = action.split('-');
  const [at, index] = places.map(Number);
  const { zones } = draft;
  if (verb === 'start') return startFrom(draft, places[0] ?? '', currency);
  if (action === 'add-zone') return { ...draft, zones: [...zones, emptyZone] };
  if (at === undefined) return draft;
  if (noun === 'zone') return { ...draft, zones: changeList(zones, verb, at) };
  const changeZone = (change: (zone: ZoneDraft) => Partial<ZoneDraft>) => ({
    ...draft,
    zones: zones.map((zone, place) => (place === at ? { ...zone, ...change(zone) } : zone)),
  });
  if (action === 'remove-country')
    return changeZone(({ countries }) => ({ countries: countries.filter((code) => code !== places[1]) }));
  if (action === 'add-rate') return changeZone(({ rates }) => ({ rates: [...rates, emptyRate] }));
  if (noun === 'rate' && index !== undefined)
    return changeZone(({ rates }) => ({ rates: changeList(rates, verb, index) }));
  // Reading the form has added the chosen country.
  return draft;
}
