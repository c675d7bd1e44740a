// In its own file, so that the import page does not load the schemas.

/** The columns of an export, in order. An import accepts them in any order. */
export const exportColumns = [
  'id',
  'version',
  'name',
  'price',
  'o_quantity',
  'a_quantity',
  'delivery',
  'category',
  'lowStock',
  'archived',
  'images',
  'description',
] as const;

/** The names of the columns on pages and in messages. */
export const columnLabels: Record<(typeof exportColumns)[number], string> = {
  id: 'Id',
  version: 'Version',
  name: 'Name',
  price: 'Price',
  o_quantity: 'Order quantity',
  a_quantity: 'Available quantity',
  delivery: 'Delivery',
  category: 'Category',
  lowStock: 'Low-stock threshold',
  archived: 'Archived',
  images: 'Images',
  description: 'Description',
};

export const maxImportBytes = 20_000_000;
export const maxImportRows = 20_000;
