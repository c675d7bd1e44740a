export type Row = Record<string, unknown>;

/** A product on the wire, for the servers that the shop is compared with. */
export const toProduct = (row: Row) => ({
  _id: row.id,
  name: row.name,
  price: Number(row.price) / 100,
  currency: 'USD',
  img: row.image,
  images: [row.image, ...(typeof row.further_images === 'string' ? row.further_images.split(' ') : [])],
  description: row.description,
  o_quantity: row.minimum,
  a_quantity: row.available,
  ...(row.category === null ? {} : { category: row.category }),
  archived: row.archived_at !== null,
  version: row.version,
  createdAt: new Date(Number(row.created_at)).toISOString(),
});
