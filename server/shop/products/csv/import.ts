import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { ShopError } from '../../../../contract/errors.ts';
import { type ImportReport, maxImportBytes } from '../../../../contract/product-import.ts';
import type { Engine, Tx } from '../../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import type { ReadFile } from '../../../http/calls/route.ts';
import { createFairQueue } from '../../../http/rate-limit.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { writeAudit } from '../../audit/audit.ts';
import { storeImage } from '../../images/upload.ts';
import type { Shop } from '../../shop.ts';
import type { ProductRow } from '../products.ts';
import { lockProducts } from '../stock.ts';
import { insertProducts } from '../stock-record.ts';
import { placeholderImage, placeholderPath } from './placeholder.ts';
import { type Plan, planImport } from './plan.ts';

type Request = {
  readFile: ReadFile;
  isDry: boolean;
  idempotencyKey: IdempotencyKey | undefined;
};

/** Rows per statement. */
const batchSize = 200;
const maxAttempts = 10;

/** Imports files, one at a time per admin; further ones wait in their sockets, not in our memory. */
export function createImporter(shop: Shop) {
  const takeTurn = createFairQueue(1, 20);
  return (viewer: SessionUser, { readFile, isDry, idempotencyKey }: Request): Promise<ImportReport> =>
    takeTurn(viewer.email, async () => {
      const file = await readFile(maxImportBytes);
      const key = idempotencyKey && { ...idempotencyKey, request: hash(file) };
      for (let attempt = 1; ; attempt++) {
        const plan = await planImport(shop, viewer.email, file, placeholderPath);
        if (isDry) return plan.report;
        if (plan.creates.some(({ image }) => image === placeholderPath))
          await storeImage(shop.database, placeholderImage, viewer.email);
        try {
          return await applyPlan(shop, viewer, plan, key);
        } catch (error) {
          if (!isConflict(error) || attempt === maxAttempts) throw error;
        }
      }
    });
}

const hash = (file: Buffer) => createHash('sha256').update(file).digest('hex');

/** A product was edited or deleted after it was compared with the file. */
const conflict = () =>
  new ShopError(
    'edit_conflict',
    'Other admins are changing these products at the moment. Nothing was imported. Try again shortly.',
  );
const isConflict = (error: unknown) => error instanceof ShopError && error.code === 'edit_conflict';

/** Everything is validated already, so that other writers wait as briefly as possible. A replay returns the first counts. */
async function applyPlan(
  shop: Shop,
  viewer: SessionUser,
  plan: Plan,
  key: IdempotencyKey | undefined,
): Promise<ImportReport> {
  const { report } = plan;
  const id = uuidv7();
  const answer = [id, report.create, report.update, report.unchanged].join(' ');
  const first = await runIdempotently(shop.database, key, answer, async (tx) => {
    if (report.errorCount > 0) throw rejectFile(report);
    for (const products of chunk(plan.creates)) await insertProducts(tx, products, viewer.email);
    // In the order in which purchases lock them.
    const updates = plan.updates.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    for (const products of chunk(updates)) await updateProducts(tx, shop.database.engine, products);
    if (report.create + report.update > 0) await auditImport(tx, viewer, id, report);
  });
  shop.invalidateCache();
  const [insertedId = '', create, update, unchanged] = first.split(' ');
  const counts = { create: Number(create), update: Number(update), unchanged: Number(unchanged) };
  return { ...report, ...counts, errors: [], errorCount: 0, insertedId };
}

function* chunk<Row>(rows: Row[]) {
  for (let at = 0; at < rows.length; at += batchSize) yield rows.slice(at, at + batchSize);
}

/** Writes the edited columns of products that still have their version. Throws 409 if one has not. */
async function updateProducts(tx: Tx, engine: Engine, products: ProductRow[]): Promise<void> {
  await lockProducts(
    tx,
    engine,
    products.map(({ id }) => id),
  );
  const values = products.map(
    ({ id, version, name, price, image, description, minimum, category, low_stock, archived_at }) =>
      sql`(${id}, ${version}, ${name}, ${price}, ${image}, ${description}, ${minimum}, ${category}, ${low_stock}, ${archived_at})`,
  );
  // PostgreSQL takes parameters in VALUES for text.
  const { numAffectedRows } = await sql`
    update product set
      version = product.version + 1,
      name = edited.column3,
      price = cast(edited.column4 as bigint),
      image = edited.column5,
      description = edited.column6,
      minimum = cast(edited.column7 as bigint),
      category = edited.column8,
      low_stock = cast(edited.column9 as bigint),
      archived_at = cast(edited.column10 as bigint)
    from (values ${sql.join(values)}) as edited
    where product.id = edited.column1 and product.version = cast(edited.column2 as bigint)`.execute(tx);
  if (Number(numAffectedRows) !== products.length) throw conflict();
}

/** Records the counts, and the values of the rows that the report lists. */
async function auditImport(
  tx: Tx,
  { email }: SessionUser,
  id: string,
  { create, update, rows }: ImportReport,
): Promise<void> {
  const changes: Record<string, [string, string]> = {};
  for (const { name, changes: fields } of rows.filter(({ action }) => action === 'update'))
    for (const { field, before, after } of fields) changes[`${name}, ${field}`] = [before, after];
  await writeAudit(tx, {
    who: email,
    what: 'importProducts',
    of: id,
    name: `${create} added, ${update} changed`,
    changes,
  });
}

function rejectFile({ errors, errorCount }: ImportReport): ShopError {
  const fieldErrors = errors.map(({ row, field, message }) => ({
    field: field ? `row ${row}, ${field}` : `row ${row}`,
    message,
  }));
  const count = errorCount === 1 ? 'One value is' : `${errorCount} values are`;
  const [first] = fieldErrors;
  const detail = `${count} wrong, so nothing was imported. ${first?.field}: ${first?.message}`;
  return new ShopError('invalid', detail, { errors: fieldErrors });
}
