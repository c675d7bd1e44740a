import { mapFields, productFields, publicFields } from '../contract/catalogue/product-fields.ts';

export type Row = Record<string, unknown>;

const readField = ({ kind, column }: { kind: string; column: string }, row: Row) =>
  kind === 'money' ? Number(row[column]) / 100 : row[column];

/** A product on the wire, for the servers that the shop is compared with. */
export const toProduct = (row: Row) => ({
  _id: row.id,
  ...mapFields(
    publicFields.filter((name) => row[productFields[name].column] !== null),
    (name) => readField(productFields[name], row),
  ),
  currency: 'USD',
  img: row.image,
  images: [row.image, ...(typeof row.further_images === 'string' ? row.further_images.split(' ') : [])],
  a_quantity: row.available,
  archived: row.archived_at !== null,
  version: row.version,
  createdAt: new Date(Number(row.created_at)).toISOString(),
});
