import { uuidv7 } from 'uuidv7';
import { isPricedIn } from '../../../contract/delivery/rates.ts';
import type { Shipping, ShippingEdit } from '../../../contract/delivery/shipping-rates.ts';
import { invalid, ShopError } from '../../../contract/errors.ts';
import { maxCharge, toMinor, toWire } from '../../config/currency.ts';
import { loadOnce } from '../../config/load-once.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { type Changes, writeAudit } from '../audit/audit.ts';
import { readDocument, replaceDocument } from '../documents.ts';
import type { Shop } from '../shop.ts';

const documentName = 'shipping';

const nothingSetUp: Shipping = {
  version: 0,
  shipsFrom: '',
  zones: [],
  cutOff: '14:00',
  workingDays: [1, 2, 3, 4, 5],
  holidays: '',
  closed: [],
};

/** The last document that was parsed: with hundreds of rates, parsing takes longer than the query. */
let parsed: { text: string; shipping: Shipping } | undefined;

/** Reads the zones and rates. Not cached, because other processes may change them. */
export async function readShipping(db: Db | Tx): Promise<Shipping> {
  return parse(await readDocument(db, documentName));
}

/** Reads the zones and rates once until `clear`. */
export function createShippingReader(db: Db) {
  const load = () => readShipping(db);
  let read = loadOnce(load);
  return {
    read: () => read(),
    clear(): void {
      read = loadOnce(load);
    },
  };
}

function parse(text: string | undefined): Shipping {
  if (text === undefined) return nothingSetUp;
  // It was validated before it was stored.
  if (parsed?.text !== text) parsed = { text, shipping: JSON.parse(text) as Shipping };
  return parsed.shipping;
}

/**
 * Replaces the zones and rates, and returns them. Changes nothing if they are the same, so that an edit can be repeated. Throws 422
 * for an amount that does not exist in the shop's currency, and for another currency; 409 if `version` is no longer current.
 */
export async function saveShipping(
  shop: Shop,
  actor: SessionUser,
  { version, ...body }: ShippingEdit,
): Promise<Shipping> {
  const { currency } = shop;
  if (!isPricedIn(body, currency))
    throw invalid('currency', `The shop charges ${currency}: enter all amounts in this currency`);
  const edit = { ...body, currency };
  checkAmounts(shop, edit.zones);
  const zones = edit.zones.map((zone) => ({
    ...zone,
    rates: zone.rates.map((rate) => ({ ...rate, _id: rate._id ?? uuidv7() })),
  }));
  const saved = await shop.database.transaction(async (tx) => {
    const stored = await readDocument(tx, documentName);
    const current = parse(stored);
    if (isSame({ ...current, currency: current.currency ?? currency }, { ...edit, version: current.version }))
      return current;
    if (version !== current.version) throw explainConflict(current);
    const next: Shipping = { ...edit, zones, version: version + 1 };
    if (!(await replaceDocument(tx, documentName, stored, JSON.stringify(next))))
      throw explainConflict(await readShipping(tx));
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'editShipping',
      target: 'shop',
      changes: listChanges(shop, current, next),
    });
    return next;
  });
  // The frame of every page and the page of delivery costs depend on the rates.
  shop.invalidateCache();
  return saved;
}

/** Whether an edit repeats the current document. A new rate has no id yet, so it is compared without. */
function isSame(current: Shipping, edit: Shipping): boolean {
  const withoutNewIds = {
    ...current,
    zones: current.zones.map((zone, index) => ({
      ...zone,
      rates: zone.rates.map(({ _id, ...rate }, position) =>
        edit.zones[index]?.rates[position]?._id === undefined ? rate : { ...rate, _id },
      ),
    })),
  };
  return toText(withoutNewIds) === toText(edit);
}

/** JSON with sorted keys. */
const toText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

function checkAmounts({ currency }: Shop, zones: Shipping['zones']): void {
  for (const [zone, { rates }] of zones.entries())
    for (const [position, rate] of rates.entries()) {
      const path = `zones.${zone}.rates.${position}`;
      const limits = rate.by === 'total' ? { from: rate.from, to: rate.to } : {};
      const amounts = { price: rate.price, freeFrom: rate.freeFrom, ...limits };
      for (const [field, amount] of Object.entries(amounts)) {
        if (amount === undefined) continue;
        const minor = toMinor(amount, currency);
        if (minor === undefined)
          throw invalid(`${path}.${field}`, `${currency} does not have so many decimals`);
        if (minor > maxCharge(currency))
          throw invalid(`${path}.${field}`, `At most ${toWire(maxCharge(currency), currency)}`);
      }
    }
}

function explainConflict(current: Shipping): ShopError {
  const detail =
    'Another admin has changed delivery since you opened it. Nothing was saved: compare your changes with theirs and save again.';
  return new ShopError('edit_conflict', detail, { data: { version: current.version } });
}

/** The changes of an edit, for the audit log: one entry for each zone that differs. */
function listChanges(shop: Shop, before: Shipping, after: Shipping): Changes {
  const describe = (shipping: Shipping): Record<string, string> => ({
    'sent from': shipping.shipsFrom || 'none',
    'cut-off time': shipping.cutOff,
    'working days': shipping.workingDays.join(' '),
    holidays: shipping.holidays || 'none',
    closed:
      shipping.closed.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(', ') || 'none',
    currency: shipping.currency ?? 'none',
    ...Object.fromEntries(shipping.zones.map((zone) => [`zone ${zone.name}`, describeZone(shop, zone)])),
  });
  const [old, current] = [describe(before), describe(after)];
  const changed = Object.keys({ ...old, ...current }).filter((key) => old[key] !== current[key]);
  return Object.fromEntries(
    changed.map((key): [string, [string, string]] => [key, [old[key] ?? 'none', current[key] ?? 'none']]),
  );
}

function describeZone(
  { currency }: Shop,
  { countries, postcodes = [], rates }: Shipping['zones'][number],
): string {
  const where = [countries.join(' '), postcodes.join(' ')].filter(Boolean).join(', postcodes ');
  const prices = rates.map(({ name, by, from, to, price, freeFrom, days, pickup }) =>
    [
      `${name} ${price} ${currency}`,
      by === 'flat' ? '' : `by ${by} ${from ?? 0} to ${to ?? 'any'}`,
      freeFrom === undefined ? '' : `free from ${freeFrom}`,
      days ? `${days.join('–')} days` : '',
      pickup ? `pick-up: ${pickup}` : '',
    ]
      .filter(Boolean)
      .join(', '),
  );
  return [where, ...prices].join('; ');
}
