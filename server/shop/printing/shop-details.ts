import {
  type Seller,
  type ShopDetails,
  type ShopDetailsEdit,
  shopDetailsFields,
  type VersionedDetails,
} from '../../../contract/admin/shop-details.ts';
import { ShopError } from '../../../contract/errors.ts';
import { promiseNames, type ShownPromise } from '../../../contract/promises.ts';
import type { Db } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { readDocument, replaceDocument } from '../documents.ts';
import type { Shop } from '../shop.ts';

/** The row of the table `setting` with the values that admins have entered and the number of edits, as JSON. */
export const shopDetailsSetting = 'shop details';
type StoredDetails = Partial<ShopDetails> & { version: number };

type DetailsShop = Pick<Shop, 'config' | 'database'>;

/** Not cached, because other processes may change it. An admin's entry overrides the environment. */
export async function readShopDetails(shop: DetailsShop): Promise<VersionedDetails> {
  return merge(shop, await readDocument(shop.database.db, shopDetailsSetting));
}

/** The seller's details as messages and invoices show them: the tax number has a label. Slips leave it out. */
export async function readSeller(shop: DetailsShop): Promise<Seller> {
  return toSeller(await readShopDetails(shop));
}

export const toSeller = ({ name, address, taxId }: ShopDetails): Seller => ({
  name,
  address,
  taxId: labelTaxNumber(taxId),
});

/** The promises that the owner has written and shows. */
export const toPromises = (details: ShopDetails): ShownPromise[] =>
  promiseNames.filter((name) => details[`${name}Shown`]).map((name) => ({ name, text: details[name] }));

/** The synonyms of the search: lines such as `magnifier = loupe`. Not cached, because other processes may change them. */
export async function readSynonyms(db: Db): Promise<string> {
  const stored = await readDocument(db, shopDetailsSetting);
  return stored === undefined ? '' : (parseStored(stored).synonyms ?? '');
}

/** Keeps a label that was entered, such as in "EU VAT GB 123 4567 89". A country code of two letters is not a label. */
const labelTaxNumber = (taxId: string) =>
  taxId === '' || /^\D*(\p{L}[\p{L}.-]{2,}|[^\p{ASCII}])\D*[\s:]/u.test(taxId)
    ? taxId
    : `Tax number ${taxId}`;

/**
 * Changes nothing if these are the details already, so that an edit can be repeated. Throws 409 with the current details
 * if `edit.version` is no longer current.
 */
export async function saveShopDetails(
  shop: Shop,
  actor: SessionUser,
  { version, ...edit }: ShopDetailsEdit,
): Promise<{ modifiedCount: number; version: number }> {
  const wanted = {
    ...edit,
    address: edit.address.replaceAll('\r\n', '\n'),
    synonyms: edit.synonyms.replaceAll('\r\n', '\n'),
  };
  const saved = await shop.database.transaction(async (tx) => {
    const stored = await readDocument(tx, shopDetailsSetting);
    const current = merge(shop, stored);
    const changed = shopDetailsFields.filter((field) => wanted[field] !== current[field]);
    if (changed.length === 0) return { modifiedCount: 0, version: current.version };
    if (version !== current.version) throw explainConflict(current);
    const next = version + 1;
    if (!(await replaceDocument(tx, shopDetailsSetting, stored, serialize(shop, wanted, next))))
      throw explainConflict(merge(shop, await readDocument(tx, shopDetailsSetting)));
    const changes = Object.fromEntries(
      changed.map((field): [string, [string, string]] => [
        field,
        [describeValue(current[field]), describeValue(wanted[field])],
      ]),
    );
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'editShopDetails',
      target: 'shop',
      name: wanted.name,
      changes,
    });
    return { modifiedCount: 1, version: next };
  });
  // The footer of every page shows the seller and the promises.
  if (saved.modifiedCount > 0) shop.invalidateCache();
  return saved;
}

const describeValue = (value: ShopDetails[keyof ShopDetails]): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value || 'none');

const parseStored = (stored: string): StoredDetails => JSON.parse(stored);

function merge(
  { config: { shopDetails: environment } }: DetailsShop,
  stored: string | undefined,
): VersionedDetails {
  const entered = stored === undefined ? { version: 0 } : parseStored(stored);
  return { ...defaultsOf(environment), ...entered, environment };
}

/** A field that was never edited follows its setting, if it has one. */
const defaultsOf = (environment: Seller): ShopDetails => ({
  ...environment,
  delivery: '',
  deliveryShown: false,
  returns: '',
  returnsShown: false,
  returnDays: null,
  guarantee: '',
  guaranteeShown: false,
  synonyms: '',
});

function serialize({ config }: Shop, details: ShopDetails, version: number): string {
  const defaults = defaultsOf(config.shopDetails);
  const entered = shopDetailsFields.filter((field) => details[field] !== defaults[field]);
  return JSON.stringify({ version, ...Object.fromEntries(entered.map((field) => [field, details[field]])) });
}

function explainConflict({ environment: _, ...current }: VersionedDetails): ShopError {
  const detail =
    'Another admin has changed these details since you opened them. Nothing was saved: compare your changes with theirs and save again.';
  return new ShopError('edit_conflict', detail, { data: current });
}
